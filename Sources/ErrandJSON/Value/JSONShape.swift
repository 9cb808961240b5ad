/// The expected shape of a JSON body.
///
/// ```swift
/// .json(["id": .integer, "tags": .array(of: .string), "nick": .optional(.string)])
/// ```
///
/// ``optional(_:)``, ``null`` and ``any`` allow null. ``oneOf(_:)`` allows null if a shape in the list
/// allows null. Booleans are not numbers.
public indirect enum JSONShape: Sendable, Hashable {
  /// Any JSON, including null.
  case any
  /// A string.
  case string
  /// A number, whole or fractional.
  case number
  /// A number with a whole value in any notation: `7`, `7.0` and `7e2` are integers.
  case integer
  /// `true` or `false`.
  case bool
  /// `null`.
  case null
  /// An array of any length with elements of the given shape.
  case array(of: JSONShape)
  /// An object whose members match the given shapes; further members are allowed.
  case object([String: JSONShape])
  /// A value of the given shape, null, or a missing member of an object.
  case optional(JSONShape)
  /// A value that matches at least one of the shapes.
  case oneOf([JSONShape])

  var kinds: [String] {
    switch self {
    case .any: ["any JSON"]
    case .string: ["a string"]
    case .number: ["a number"]
    case .integer: ["an integer"]
    case .bool: ["a boolean"]
    case .null: ["null"]
    case .array: ["an array"]
    case .object: ["an object"]
    case .optional(let shape): shape.kinds + ["null"]
    case .oneOf(let shapes): shapes.flatMap(\.kinds)
    }
  }

  package struct Mismatch: Hashable {
    package enum Step: Hashable {
      case member(String)
      case element(Int)
    }

    /// The path to the value, with the innermost step first.
    package var steps: [Step] = []
    package var clause: String

    func inside(_ step: Step) -> Mismatch { Mismatch(steps: steps + [step], clause: clause) }
  }

  package func mismatch(in value: JSONValue) -> Mismatch? {
    switch (self, value) {
    case (.any, _), (.string, .string), (.number, .number), (.bool, .bool), (.null, .null): return nil
    case (.integer, .number(let number)) where number.isInteger: return nil
    case (.optional, .null): return nil
    case (.optional(let shape), _):
      guard let mismatch = shape.mismatch(in: value) else { return nil }
      return mismatch.steps.isEmpty ? unlike(value) : mismatch
    case (.array(let shape), .array(let elements)): return Self.mismatch(in: elements, of: shape)
    case (.object(let members), .object(let values)): return Self.mismatch(in: values, of: members)
    case (.oneOf(let shapes), _): return mismatch(in: value, with: shapes)
    default: return unlike(value)
    }
  }

  private func unlike(_ value: JSONValue) -> Mismatch {
    var seen: Set<String> = []
    let expected = kinds.filter { seen.insert($0).inserted }.listedWithOr
    return Mismatch(clause: expected.isEmpty ? "is not allowed" : "is \(value.kind), not \(expected)")
  }

  private static func mismatch(in elements: [JSONValue], of shape: JSONShape) -> Mismatch? {
    for (index, element) in elements.enumerated() {
      if let mismatch = shape.mismatch(in: element) { return mismatch.inside(.element(index)) }
    }
    return nil
  }

  private static func mismatch(in values: [String: JSONValue], of members: [String: JSONShape]) -> Mismatch? {
    for (name, shape) in members.sorted(by: { $0.key < $1.key }) {
      if let value = values[name] {
        if let mismatch = shape.mismatch(in: value) { return mismatch.inside(.member(name)) }
      } else if !shape.mayBeMissing {
        return Mismatch(steps: [.member(name)], clause: "is missing")
      }
    }
    return nil
  }

  private func mismatch(in value: JSONValue, with shapes: [JSONShape]) -> Mismatch? {
    var inside: [Mismatch] = []
    for shape in shapes {
      guard let mismatch = shape.mismatch(in: value) else { return nil }
      if !mismatch.steps.isEmpty { inside.append(mismatch) }
    }
    if inside.count > 1 { return Mismatch(clause: "is \(value.kind) that matches no allowed shape") }
    return inside.first ?? unlike(value)
  }

  private var mayBeMissing: Bool {
    switch self {
    case .optional: true
    case .oneOf(let shapes): shapes.contains(where: \.mayBeMissing)
    default: false
    }
  }
}

extension JSONShape: ExpressibleByDictionaryLiteral {
  /// Creates an object shape; for a repeated name, the last shape counts.
  public init(dictionaryLiteral elements: (String, JSONShape)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

extension JSONShape.Mismatch: CustomStringConvertible {
  /// A text such as `$.items[3].id is a string, not an integer`.
  package var description: String {
    let path = steps.reversed().map { step in
      switch step {
      case .element(let index): "[\(index)]"
      case .member(let name) where Self.isPlain(name): ".\(name)"
      case .member(let name): "[\(name.debugDescription)]"
      }
    }
    return "$\(path.joined()) \(clause)"
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { Self.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
  }
}

extension Sequence<String> {
  package var listedWithOr: String {
    var items = Array(self)
    guard let last = items.popLast() else { return "" }
    return items.isEmpty ? last : "\(items.joined(separator: ", ")) or \(last)"
  }
}
