import ErrandJSON
public import Foundation

/// Any JSON (RFC 8259), for answers without a type, and for bodies put together by hand.
///
/// ```swift
/// let value = try await agent.send(.get("search", as: JSONValue.self))
/// let name = value["data"]["items"][0]["name"].string
///
/// let created: JSONValue = ["name": .string(input), "tags": ["new", 7, nil]]
/// try await agent.send(.post("items", body: .json(created)))
/// ```
///
/// Numbers keep every digit. A decoder of a subclass of `JSONDecoder`, and one that reads JSON5, have no more than `Decimal`: a
/// number of 38 digits and more is refused there, and one beyond 1e128 is the nearest `Double`.
/// An empty body is null. Printing it hides secrets, as printing a body does; ``text()`` gives the JSON itself.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number with its digits.
  case number(Number)
  /// Text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Values by name; of members with the same name the first counts, as for `JSONDecoder`.
  case object([String: JSONValue])

  /// A number of a JSON text, as it was written; two are equal when their values are: `1`, `1.0` and `10e-1`.
  public struct Number: Sendable {
    /// The text, which fits the grammar of RFC 8259 section 6.
    public let text: String

    /// A whole number of any size.
    public init(_ value: some BinaryInteger) { text = String(value) }

    /// A number with the digits that the `Double` prints; `nil` when it is infinite or not a number.
    public init?(_ value: Double) {
      guard value.isFinite else { return nil }
      text = value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }

    /// A number with every digit; `nil` when it is not a number.
    public init?(_ value: Decimal) {
      guard value.isFinite else { return nil }
      text = "\(value)"
    }

    /// A number as JSON has it (RFC 8259 section 6), such as `1.50` or `2E+9`; `nil` when the text is none.
    public init?(_ text: String) {
      guard let node = try? JSONNode.parse(Data(text.utf8)), node.kind == .number, node.number == text else {
        return nil
      }
      self.text = text
    }

    /// Takes a text that is known to be a number.
    init(text: String) { self.text = text }
  }
}

// What is in it. Whatever is not there is null, so that a way into it needs no question marks.
extension JSONValue {
  /// The member of an object; ``null`` where there is none, or where this is no object.
  public subscript(name: String) -> JSONValue { object?[name] ?? .null }

  /// The element of an array, from 0; ``null`` where there is none, or where this is no array.
  public subscript(index: Int) -> JSONValue {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
    return elements[index]
  }

  /// Whether it is null, which is also what a member is that is not there.
  public var isNull: Bool { if case .null = self { true } else { false } }
  /// The truth value; `nil` where it is none.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The text; `nil` where it is none.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The elements; `nil` where it is no array.
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  /// The members; `nil` where it is no object.
  public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
  /// The number as `Int`, also one written `7.0` or `7e2`; `nil` where it is none, or does not fit.
  public var int: Int? { number?.integer() }
  /// The number as `Double`, rounded where it has more digits; `nil` where it is none, or too large.
  public var double: Double? { number?.double }
  /// The number as `Decimal` with every digit; `nil` where it is none, or has more than 38.
  public var decimal: Decimal? { number?.decimal }
  /// The number as it was written; `nil` where it is none.
  public var number: Number? { if case .number(let value) = self { value } else { nil } }

  /// What it is, for messages: `a string`.
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
  /// Reads any JSON; throws a `DecodingError` for a number with more digits than a decoder gives.
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

  /// Writes it, members sorted by name where ``/ErrandJSON/JSONCoding`` encodes; throws an `EncodingError` for a number with more digits than another
  /// encoder takes, and for what is nested deeper than 512 levels, or than the stack of the thread has room for.
  public func encode(to encoder: any Encoder) throws {
    let level = encoder.codingPath.count
    guard level <= JSONDepth.limit else { throw Self.tooDeep }
    guard StackRoom.isEnough(at: level) else {
      throw EncodingError.invalidValue(
        JSONValue.self,
        .init(codingPath: [], debugDescription: "it is nested deeper than this thread's stack has room for"))
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
  /// Null.
  public init(nilLiteral: ()) { self = .null }
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .number(Number(value)) }
  /// A number with the digits that the `Double` prints; null for one that is infinite, as a literal beyond `Double` is.
  public init(floatLiteral value: Double) { self = Number(value).map(JSONValue.number) ?? .null }
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object; of a name written twice the last counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

extension JSONValue.Number {
  /// Digits without zeros at their ends, and the power of ten that they are multiplied by.
  ///
  /// The exponent is `nil` when it does not fit an `Int`: such a number is equal to those written alike.
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

  /// Whether its value is a whole number, also when it is written `1.0` or `1e3`.
  ///
  /// Judged by the digits: a `Double` would take 1e300 and 0.5e-400 for whole numbers.
  var isInteger: Bool { value.exponent.map { $0 >= 0 } ?? !(text.contains("e-") || text.contains("E-")) }

  /// The value, where it is whole and fits.
  func integer<Integer: FixedWidthInteger>() -> Integer? {
    if let plain = Integer(text) { return plain }
    let value = value
    guard let exponent = value.exponent, (0..<40).contains(exponent) else { return nil }
    return Integer("\(value.isNegative ? "-" : "")\(value.digits)\(String(repeating: "0", count: exponent))")
  }

  /// The nearest `Double`; `nil` beyond the largest.
  var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

  /// The same value; `nil` where a `Decimal` has no room for its digits or its exponent.
  var decimal: Decimal? {
    let value = value
    guard value.digits.count <= 38, let exponent = value.exponent, (-128...127).contains(exponent) else {
      return nil
    }
    guard let significand = Decimal(string: String(value.digits), locale: nil) else { return nil }
    let result = Decimal(
      sign: value.isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    return result.isFinite ? result : nil
  }

  /// Reads what a decoder gives; `nil` where it is no number.
  init?(in container: any SingleValueDecodingContainer) throws {
    if let value = try? container.decode(Int64.self) {
      self.init(value)
    } else if let value = try? container.decode(Decimal.self) {
      self.init(value)
      guard self.value.digits.count >= 38 else { return }
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: container.codingPath,
          debugDescription: "a number with so many digits is kept only by a decoder of JSONCoding"))
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
          debugDescription: "a number with so many digits is written only by an encoder of JSONCoding"
        ))
    }
  }
}

extension JSONValue.Number: Hashable {
  /// Whether the values are the same, however they are written.
  public static func == (a: JSONValue.Number, b: JSONValue.Number) -> Bool {
    if a.text == b.text { return true }
    let (one, other) = (a.value, b.value)
    return one.isNegative == other.isNegative && one.digits == other.digits && one.exponent != nil
      && one.exponent == other.exponent
  }

  /// Takes in the value.
  public func hash(into hasher: inout Hasher) {
    let value = value
    hasher.combine(value.digits)
    hasher.combine(value.exponent)
  }
}

extension JSONValue.Number: CustomStringConvertible {
  /// The text.
  public var description: String { text }
}
