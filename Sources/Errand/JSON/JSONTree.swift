import ErrandJSON
import Foundation

/// Makes values of JSON texts.
///
/// Containers that are open are kept in an array, not on the stack, which nested input could exhaust.
enum JSONTree {
  /// An array or object whose values are being made.
  private struct Container {
    var rest: JSONNode.Values
    var elements: [JSONValue] = []
    var members: [String: JSONValue] = [:]
    var name = ""
    let dropsNulls: Bool

    init(of node: JSONNode) { (rest, dropsNulls) = (node.values, node.dropsNulls) }

    mutating func add(_ value: JSONValue) {
      if !rest.haveNames {
        elements.append(value)
      } else if members[name] == nil {
        // The one that a decoder finds, so that what was judged is what is decoded.
        members[name] = value
      }
    }

    /// The next one to be made; `nil` when there is none.
    mutating func next() throws(JSONSyntaxError) -> JSONNode? {
      guard let (name, value) = rest.next() else { return nil }
      if let name { self.name = try JSONTree.text(name) }
      return value
    }

    /// The container, now that all its values are made.
    var value: JSONValue {
      if !rest.haveNames { return .array(elements) }
      return .object(dropsNulls ? members.filter { !$0.value.isNull } : members)
    }
  }

  /// The value of a whole text, with every digit; throws why it is none, a clause.
  ///
  /// Half of a surrogate pair becomes U+FFFD, as the grammar allows it.
  static func parse(_ data: Data) throws(JSONSyntaxError) -> JSONValue {
    try value(of: try JSONNode.parse(data))
  }

  /// The value of a text's part, all of which is judged.
  static func value(of root: JSONNode) throws(JSONSyntaxError) -> JSONValue {
    var open: [Container] = []
    var node = root
    while true {
      var value: JSONValue?
      switch node.kind {
      case .array, .object: open.append(Container(of: node))
      default: value = try scalar(node)
      }
      while true {
        guard let last = open.indices.last else { return value ?? .null }
        if let value { open[last].add(value) }
        if let next = try open[last].next() {
          node = next
          break
        }
        value = open.removeLast().value
      }
    }
  }

  private static func scalar(_ node: JSONNode) throws(JSONSyntaxError) -> JSONValue {
    switch node.kind {
    case .null: return .null
    case .bool: return .bool(node.bool)
    case .number:
      guard let text = node.number else {
        throw JSONSyntaxError(.number, at: node.position)
      }
      return .number(JSONValue.Number(text: text))
    default:
      return .string(try text(node))
    }
  }

  fileprivate static func text(_ node: JSONNode) throws(JSONSyntaxError) -> String {
    if let text = node.string { return text }
    throw JSONSyntaxError(.string, at: node.position)
  }
}
