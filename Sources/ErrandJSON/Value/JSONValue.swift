public import Foundation

/// Any JSON value (RFC 8259), for responses without a type and for bodies built by hand.
///
/// ```swift
/// let value = try await agent.send(.get("search", as: JSONValue.self))
/// let name = value["data"]["items"][0]["name"].string
///
/// let created: JSONValue = ["name": .string(input), "tags": ["new", 7, nil]]
/// try await agent.send(.post("items", body: .json(created)))
/// ```
///
/// A `JSONCoding` usually keeps every digit of a number. An agent decodes an empty JSON body as null. The
/// description hides secrets that Errand finds; ``text()`` returns the full JSON.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(Number)
  /// A string.
  case string(String)
  /// Elements in order.
  case array([JSONValue])
  /// Members by name. If a name repeats in a decoded text, usually the first member counts.
  case object([String: JSONValue])

  /// A number with its JSON text, compared by value: `1`, `1.0` and `10e-1` are equal.
  public struct Number: Sendable {
    /// The text of the number, in the grammar of RFC 8259 section 6.
    public let text: String

    /// Creates a whole number of any size.
    public init(_ value: some BinaryInteger) { text = String(value) }

    /// Creates the number that Swift prints for a `Double`, such as `0.1`; `nil` for infinity and NaN.
    public init?(_ value: Double) {
      guard value.isFinite else { return nil }
      text = value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }

    /// Creates a number with every digit of the `Decimal`; `nil` for NaN.
    public init?(_ value: Decimal) {
      guard value.isFinite else { return nil }
      text = "\(value)"
    }

    /// Creates a number from a JSON text such as `1.50` or `2E+9`; `nil` for a text that is not a number.
    public init?(_ text: String) {
      guard let node = try? JSONNode.parse(Data(text.utf8)), node.kind == .number, node.number == text else {
        return nil
      }
      self.text = text
    }

    init(text: String) { self.text = text }
  }
}

extension JSONValue {
  /// Returns the member of an object, or ``null``.
  public subscript(name: String) -> JSONValue { object?[name] ?? .null }

  /// Returns the element of an array, or ``null``.
  public subscript(index: Int) -> JSONValue {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
    return elements[index]
  }

  /// True for null, which is also the result of a subscript for a missing value.
  public var isNull: Bool { if case .null = self { true } else { false } }
  /// The boolean; `nil` for other kinds.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The string; `nil` for other kinds.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The elements of an array; `nil` for other kinds.
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  /// The members of an object; `nil` for other kinds.
  public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
  /// The number as an `Int`; `7.0` and `7e2` are also whole numbers.
  ///
  /// `nil` for fractions, for numbers outside `Int`, and for other kinds.
  public var int: Int? { number?.integer() }
  /// The number as the nearest `Double`; `nil` for other kinds, and for numbers too large for `Double`.
  public var double: Double? { number?.double }
  /// The number as a `Decimal` with every digit.
  ///
  /// `nil` for more than 38 significant digits, for exponents beyond about ±127, and for other kinds.
  public var decimal: Decimal? { number?.decimal }
  /// The number with its text; `nil` for other kinds.
  public var number: Number? { if case .number(let value) = self { value } else { nil } }

  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: Codable {
  /// Decodes any JSON.
  ///
  /// Throws a `DecodingError` for text that is not JSON. Usually also throws for a number with more digits
  /// than the decoder keeps.
  public init(from decoder: any Decoder) throws {
    if let node = JSONNode(of: decoder) {
      do {
        self = try JSONTree.value(of: node)
      } catch {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "the body is not JSON: \(error)"))
      }
      return
    }
    try JSONDepth.checkStack(of: decoder)
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try Number(in: container) {
      self = .number(value)
    } else if (try? decoder.unkeyedContainer()) != nil {
      self = .array(try container.decode([JSONValue].self))
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Encodes the value.
  ///
  /// Throws an `EncodingError` for nesting that is too deep, and for a number that the encoder cannot write
  /// exactly.
  public func encode(to encoder: any Encoder) throws {
    let level = encoder.codingPath.count
    guard level <= JSONDepth.limit else { throw Self.tooDeep }
    guard StackRoom.isEnough(at: level) else {
      throw EncodingError.invalidValue(
        JSONValue.self,
        .init(codingPath: [], debugDescription: "the value is nested too deeply for the stack of this thread")
      )
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try value.encode(in: &container)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(JSONSortedObject(values))
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates a whole number.
  public init(integerLiteral value: Int) { self = .number(Number(value)) }
  /// Creates the number that Swift prints for a `Double`; infinity and NaN become null.
  public init(floatLiteral value: Double) { self = Number(value).map(JSONValue.number) ?? .null }
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Creates an object; if a name repeats, the last member counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

extension JSONValue.Number {
  /// The sign, the digits and the power of ten.
  ///
  /// An exponent outside `Int` is `nil`.
  private var value: (isNegative: Bool, digits: Substring, exponent: Int?) {
    let parts = text.split(whereSeparator: { $0 == "e" || $0 == "E" })
    let mantissa = parts[0].split(separator: ".")
    let fraction: Substring = mantissa.count > 1 ? mantissa[1] : ""
    let all = mantissa[0].drop { $0 == "-" } + fraction
    let digits = all.drop { $0 == "0" }
    var significant = digits
    while significant.last == "0" { significant.removeLast() }
    if significant.isEmpty { return (false, "0", 0) }
    let written = parts.count > 1 ? Int(parts[1]) : 0
    let moved = written?.addingReportingOverflow(digits.count - significant.count - fraction.count)
    let exponent = moved.flatMap { $0.overflow ? nil : $0.partialValue }
    return (text.hasPrefix("-"), Substring(String(significant)), exponent)
  }

  /// True for a whole number, including `1.0` and `1e3`.
  package var isInteger: Bool {
    value.exponent.map { $0 >= 0 } ?? !(text.contains("e-") || text.contains("E-"))
  }

  package func integer<Integer: FixedWidthInteger>() -> Integer? {
    if let plain = Integer(text) { return plain }
    let value = value
    guard let exponent = value.exponent, (0..<40).contains(exponent) else { return nil }
    return Integer("\(value.isNegative ? "-" : "")\(value.digits)\(String(repeating: "0", count: exponent))")
  }

  var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

  package var decimal: Decimal? {
    let value = value
    guard value.digits.count <= 38, let exponent = value.exponent, (-128...127).contains(exponent) else {
      return nil
    }
    guard let significand = Decimal(string: String(value.digits), locale: nil) else { return nil }
    let result = Decimal(
      sign: value.isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    return result.isFinite ? result : nil
  }

  init?(in container: any SingleValueDecodingContainer) throws {
    if let value = try? container.decode(Int64.self) {
      self.init(value)
    } else if let value = try? container.decode(Decimal.self) {
      self.init(value)
      guard self.value.digits.count >= 38 else { return }
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: container.codingPath,
          debugDescription: "only a decoder of JSONCoding keeps a number with this many digits"))
    } else if let value = try? container.decode(Double.self) {
      self.init(value)
    } else {
      return nil
    }
  }

  func encode(in container: inout any SingleValueEncodingContainer) throws {
    if let container = container as? any JSONNumberTextContainer {
      return try container.encodeNumber(text: text)
    }
    if let value: Int64 = integer() {
      try container.encode(value)
    } else if let value: UInt64 = integer() {
      try container.encode(value)
    } else if let value = decimal {
      try container.encode(value)
    } else if let value = double, JSONValue.Number(value) == self {
      try container.encode(value)
    } else {
      throw EncodingError.invalidValue(
        text,
        .init(
          codingPath: container.codingPath,
          debugDescription: "only an encoder of JSONCoding writes a number with this many digits"
        ))
    }
  }
}

extension JSONValue.Number: Hashable {
  /// Returns true if the values are equal, in any notation.
  ///
  /// Numbers with an exponent outside `Int` are equal only if the texts are equal.
  public static func == (a: JSONValue.Number, b: JSONValue.Number) -> Bool {
    if a.text == b.text { return true }
    let (one, other) = (a.value, b.value)
    return one.isNegative == other.isNegative && one.digits == other.digits && one.exponent != nil
      && one.exponent == other.exponent
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    let value = value
    hasher.combine(value.digits)
    hasher.combine(value.exponent)
  }
}

extension JSONValue.Number: CustomStringConvertible {
  /// The text of the number.
  public var description: String { text }
}

/// A value that prints with hidden secrets.
///
/// The module `Errand` adds the conformance of ``JSONValue``, because `Errand` knows the names of secrets.
package protocol JSONValuePrinting {
  var printedText: String { get }
}

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The JSON text, with secrets hidden by `Redaction.standard` of the module `Errand`.
  ///
  /// Without the module `Errand`, the description is a text such as `an object with 3 members`. A value
  /// nested deeper than 512 levels also has a short description.
  public var description: String { (self as? any JSONValuePrinting)?.printedText ?? summary }
  /// The same text as ``description``.
  public var debugDescription: String { description }
  /// A mirror with only the description, for `dump`.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }

  private var summary: String {
    switch self {
    case .array(let elements): "an array with \(elements.count) elements"
    case .object(let members): "an object with \(members.count) members"
    default: kind
    }
  }
}
