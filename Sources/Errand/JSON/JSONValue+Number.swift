public import Foundation

extension JSONValue {
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
      guard case .number(let number)? = try? JSONParser.parse(Data(text.utf8)), number.text == text else {
        return nil
      }
      self = number
    }

    /// Takes a text that is known to be a number.
    init(text: String) { self.text = text }
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
          debugDescription: "a number with so many digits is kept only where the whole body is a JSONValue"))
    } else if let value = try? container.decode(Double.self) {
      self.init(value)
    } else {
      return nil
    }
  }

  func encode(in container: inout any SingleValueEncodingContainer) throws {
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
          debugDescription: "a number with so many digits is written only where the whole body is a JSONValue"
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
