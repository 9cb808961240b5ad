package import Foundation

/// Builds a `JSONValue`.
///
/// An array holds the open containers, because recursion could exhaust the stack.
package enum JSONTree {
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
        members[name] = value
      }
    }

    mutating func next() throws(JSONSyntaxError) -> JSONNode? {
      guard let (name, value) = rest.next() else { return nil }
      if let name { self.name = try JSONTree.text(name) }
      return value
    }

    var value: JSONValue {
      if !rest.haveNames { return .array(elements) }
      return .object(dropsNulls ? members.filter { !$0.value.isNull } : members)
    }
  }

  /// Parses a JSON text.
  ///
  /// An escaped unpaired surrogate becomes U+FFFD.
  package static func parse(_ data: Data) throws(JSONSyntaxError) -> JSONValue {
    try value(of: try JSONNode.parse(data))
  }

  package static func value(of root: JSONNode) throws(JSONSyntaxError) -> JSONValue {
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
