import Foundation

// Traversals keep pending values in an array, because recursion could exhaust the stack.
extension JSONValue {
  private struct Open<Made> {
    var rest: [JSONValue]
    var names: [String]?
    var made: [Made] = []

    init(_ elements: [JSONValue]) { rest = elements.reversed() }

    init(_ members: [String: JSONValue]) {
      names = Array(members.keys)
      rest = members.values.reversed()
    }
  }

  package func folded<Made>(
    _ scalar: (JSONValue) -> Made, array: ([Made]) -> Made, object: ([(key: String, value: Made)]) -> Made
  ) -> Made {
    var open: [Open<Made>] = []
    var next = self
    while true {
      var made: Made
      switch next {
      case .array(let elements) where !elements.isEmpty:
        open.append(Open(elements))
        next = open[open.count - 1].rest.removeLast()
        continue
      case .object(let members) where !members.isEmpty:
        open.append(Open(members))
        next = open[open.count - 1].rest.removeLast()
        continue
      case .array: made = array([])
      case .object: made = object([])
      case .null, .bool, .number, .string: made = scalar(next)
      }
      while true {
        guard let last = open.indices.last else { return made }
        open[last].made.append(made)
        if let value = open[last].rest.popLast() {
          next = value
          break
        }
        let done = open.removeLast()
        made = done.names.map { object(zip($0, done.made).map { ($0, $1) }) } ?? array(done.made)
      }
    }
  }

  /// Returns the value without null members and null elements on every level.
  ///
  /// A top-level null stays.
  public func droppingNulls() -> JSONValue {
    folded(
      { $0 }, array: { .array($0.filter { !$0.isNull }) },
      object: { members in
        .object(
          Dictionary(
            uniqueKeysWithValues: members.lazy.filter { !$0.value.isNull }.map { ($0.key, $0.value) }))
      })
  }
}

extension JSONValue {
  /// Returns the JSON text with members sorted by name, without redaction.
  ///
  /// Throws an `EncodingError` for a value nested deeper than 512 levels.
  public func text() throws -> String {
    var text = JSONValueText()
    try text.write(self)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// An error without the value, because printing a deeply nested value could exhaust the stack.
  static var tooDeep: EncodingError {
    .invalidValue(
      JSONValue.self,
      .init(codingPath: [], debugDescription: "the value is nested deeper than \(JSONDepth.limit) levels"))
  }
}

extension JSONValue: Hashable {
  /// Returns true if both values are equal.
  ///
  /// The notation of a number usually does not matter: `1` equals `1.0`.
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    var pairs: [(JSONValue, JSONValue)] = []
    var pair = (a, b)
    while true {
      switch pair {
      case (.null, .null): break
      case (.bool(let a), .bool(let b)): guard a == b else { return false }
      case (.number(let a), .number(let b)): guard a == b else { return false }
      case (.string(let a), .string(let b)): guard a == b else { return false }
      case (.array(let a), .array(let b)):
        guard a.count == b.count else { return false }
        pairs.append(contentsOf: zip(a, b))
      case (.object(let a), .object(let b)):
        guard a.count == b.count else { return false }
        for (name, value) in a {
          guard let other = b[name] else { return false }
          pairs.append((value, other))
        }
      default: return false
      }
      guard let next = pairs.popLast() else { return true }
      pair = next
    }
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    var values = [self]
    while let value = values.popLast() {
      switch value {
      case .null: hasher.combine(0)
      case .bool(let value):
        hasher.combine(1)
        hasher.combine(value)
      case .number(let value):
        hasher.combine(2)
        hasher.combine(value)
      case .string(let value):
        hasher.combine(3)
        hasher.combine(value)
      case .array(let elements):
        hasher.combine(4)
        hasher.combine(elements.count)
        values += elements
      case .object(let members):
        hasher.combine(5)
        hasher.combine(members.count)
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
          hasher.combine(name)
          values.append(value)
        }
      }
    }
  }
}
