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
}

extension JSONShape: ExpressibleByDictionaryLiteral {
  /// An object with these members; of a name written twice the last counts.
  public init(dictionaryLiteral elements: (String, JSONShape)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}
