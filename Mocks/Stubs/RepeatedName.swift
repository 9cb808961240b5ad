import ErrandJSON
import Errand
import Foundation

/// Finds repeated names in JSON objects.
///
/// A decoded ``/Errand/JSONValue`` keeps only the first of equal names.
enum RepeatedName {
  /// Returns a repeated name of an object in a valid JSON body, or `nil`.
  ///
  /// Uses a list instead of recursion, because deep JSON could exhaust the stack.
  static func find(in body: Data) -> String? {
    guard let root = try? JSONNode.parse(body), [.array, .object].contains(root.kind) else { return nil }
    var open = [(rest: root.values, names: Set<ExactText>())]
    while let last = open.indices.last {
      guard let (name, value) = open[last].rest.next() else {
        open.removeLast()
        continue
      }
      if let name = name?.string, !open[last].names.insert(ExactText(name)).inserted { return name }
      if [.array, .object].contains(value.kind) { open.append((value.values, [])) }
    }
    return nil
  }
}
