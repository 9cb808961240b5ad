import ErrandJSON
import Errand
import Foundation

/// Names that stand more than once in an object of a JSON text, of which a ``/Errand/JSONValue`` has the first only.
enum RepeatedName {
  /// The first of them; `nil` where there is none, or no JSON.
  ///
  /// Containers that are open are kept in an array, not on the stack, which nested input could exhaust.
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
