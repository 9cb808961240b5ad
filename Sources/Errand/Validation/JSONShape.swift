import ErrandJSON
import Foundation

extension StandardValidator {
  /// What a JSON body must look like, judged before it is decoded; see ``ResponseValidator/json(_:)``.
  ///
  /// ```swift
  /// .json(["id": .integer, "tags": .array(of: .string), "nick": .optional(.string)])
  /// ```
  ///
  /// The rules: a key that is missing is refused unless its shape is ``optional(_:)``; null is refused unless the
  /// shape is ``optional(_:)``, ``null`` or ``any``; keys the shape does not name are let pass; every element of an
  /// array is judged, and an empty array passes; booleans are not numbers. A body that is empty or not JSON in UTF-8
  /// is refused by every shape, also by ``any``.
  public indirect enum JSONShape: Sendable, Hashable {
    /// Any JSON, null included.
    case any
    /// A string.
    case string
    /// A number, whole or not.
    case number
    /// A number with a whole value, however it is written: `7`, `7.0` and `7e2` are integers.
    case integer
    /// `true` or `false`.
    case bool
    /// `null`.
    case null
    /// An array of any length whose elements all have the shape.
    case array(of: JSONShape)
    /// An object with these members, and perhaps others.
    case object([String: JSONShape])
    /// As a member, may be missing or null; elsewhere may be null.
    case optional(JSONShape)
    /// Fits when one of the shapes does.
    case oneOf([JSONShape])

    /// What it accepts, for messages: `an integer`.
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

    /// The first place where a value does not fit, members judged in the order of their names.
    struct Mismatch: Hashable {
      enum Step: Hashable {
        case member(String)
        case element(Int)
      }

      /// The way from the place up to the root: the last step first, as it is built while judging returns.
      var steps: [Step] = []
      /// `is a string, not an integer`.
      var clause: String

      func inside(_ step: Step) -> Mismatch { Mismatch(steps: steps + [step], clause: clause) }
    }

    /// Where the value does not fit, or `nil` when it does.
    func mismatch(in value: JSONValue) -> Mismatch? {
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
      return Mismatch(clause: "is \(value.kind), not \(expected)")
    }

    private static func mismatch(in elements: [JSONValue], of shape: JSONShape) -> Mismatch? {
      for (index, element) in elements.enumerated() {
        if let mismatch = shape.mismatch(in: element) { return mismatch.inside(.element(index)) }
      }
      return nil
    }

    private static func mismatch(in values: [String: JSONValue], of members: [String: JSONShape]) -> Mismatch?
    {
      for (name, shape) in members.sorted(by: { $0.key < $1.key }) {
        if let value = values[name] {
          if let mismatch = shape.mismatch(in: value) { return mismatch.inside(.member(name)) }
        } else if !shape.mayBeMissing {
          return Mismatch(steps: [.member(name)], clause: "is missing")
        }
      }
      return nil
    }

    /// Of several shapes, the one that fits best says why: the only one that fits but for something inside.
    private func mismatch(in value: JSONValue, with shapes: [JSONShape]) -> Mismatch? {
      var inside: [Mismatch] = []
      for shape in shapes {
        guard let mismatch = shape.mismatch(in: value) else { return nil }
        if !mismatch.steps.isEmpty { inside.append(mismatch) }
      }
      if inside.count > 1 { return Mismatch(clause: "is \(value.kind) that fits none of its shapes") }
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
}

extension StandardValidator.JSONShape: ExpressibleByDictionaryLiteral {
  /// An object with these members; of a name written twice the last counts.
  public init(dictionaryLiteral elements: (String, StandardValidator.JSONShape)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

extension StandardValidator.JSONShape.Mismatch: CustomStringConvertible {
  /// The path from the root `$`, then what is wrong there: `$.items[3].id is a string, not an integer`.
  var description: String {
    let path = steps.reversed().map { step in
      switch step {
      case .element(let index): "[\(index)]"
      case .member(let name) where Self.isPlain(name): ".\(name)"
      case .member(let name): "[\(name.debugDescription)]"
      }
    }
    return "$\(path.joined()) \(clause)"
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
  }
}

extension StandardValidator.JSONShape {
  /// Refuses a body that is not JSON of the shape.
  func validate(_ body: Data) throws {
    if body.allSatisfy(ASCII.isWhitespace) { throw Self.refusal("the body is empty") }
    let value: JSONValue
    do {
      value = try JSONTree.parse(body)
    } catch {
      throw Self.refusal("the body is not JSON: \(error)")
    }
    if let mismatch = mismatch(in: value) { throw Self.refusal(mismatch.description) }
  }

  private static func refusal(_ message: String) -> Refusal { Refusal(message, kind: .jsonShape) }
}
