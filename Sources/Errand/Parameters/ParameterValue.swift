public import Foundation

/// A value allowed in ``Parameters``.
///
/// The following types conform:
///
/// - `String`, `Substring`, `Bool`, `Double`, `Float`, `Decimal` and integers of up to 64 bits
/// - `Date`, `Data`, `URL`, `UUID`, ``Secret`` and ``/ErrandJSON/JSONValue``
/// - optionals, arrays, sets and `String`-keyed dictionaries of conforming types
///
/// An enum with a conforming raw value needs only the declaration `enum Sort: String, ParameterValue`. For an
/// `Encodable` value, use ``Parameters/init(encoding:keys:nils:)``.
public protocol ParameterValue: Sendable {
  /// The value for encoders; `nil` leaves the key out, or is null in a list.
  var parameterNode: Parameters.Node? { get }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
  /// The raw value.
  public var parameterNode: Parameters.Node? { rawValue.parameterNode }
}

extension String: ParameterValue {
  /// Text.
  public var parameterNode: Parameters.Node? { .string(self) }
}

extension Substring: ParameterValue {
  /// Text.
  public var parameterNode: Parameters.Node? { .string(String(self)) }
}

extension Bool: ParameterValue {
  /// A truth value.
  public var parameterNode: Parameters.Node? { .bool(self) }
}

extension Double: ParameterValue {
  /// A number; `.form` and `.json` refuse infinity and NaN.
  public var parameterNode: Parameters.Node? { .double(self) }
}

extension Float: ParameterValue {
  /// The number that the `Float` prints: `0.1 as Float` is sent as `0.1`.
  public var parameterNode: Parameters.Node? { .double(Double(description) ?? Double(self)) }
}

extension Decimal: ParameterValue {
  /// A number with all digits.
  public var parameterNode: Parameters.Node? { .decimal(self) }
}

extension Date: ParameterValue {
  /// A time: RFC 3339 text in UTC by default, `2026-11-21T10:00:00Z`.
  public var parameterNode: Parameters.Node? { .date(self) }
}

extension Data: ParameterValue {
  /// Bytes: base64 by default.
  public var parameterNode: Parameters.Node? { .data(self) }
}

extension URL: ParameterValue {
  /// The absolute URL as text.
  ///
  /// Forms, queries and JSON refuse a file URL: write `.file(url)` for the file, or `url.path` for the path.
  public var parameterNode: Parameters.Node? { isFileURL ? .file(.bare(self)) : .string(absoluteString) }
}

extension UUID: ParameterValue {
  /// The 36 upper-case characters.
  public var parameterNode: Parameters.Node? { .string(uuidString) }
}

extension Secret: ParameterValue {
  /// A secret text.
  public var parameterNode: Parameters.Node? { .secret(self) }
}

extension JSONValue: ParameterValue {
  /// The same value with members sorted by name.
  ///
  /// A number with more digits than `Decimal` holds, or with a larger exponent, becomes a `Double`.
  public var parameterNode: Parameters.Node? {
    folded(
      { $0.scalarNode }, array: { .list($0) },
      object: { members in
        let sorted = members.sorted { $0.key < $1.key }
        return .object(Parameters(entries: sorted.map { Parameters.Entry(key: $0.key, value: $0.value) }))
      })
  }

  private var scalarNode: Parameters.Node {
    switch self {
    case .bool(let flag): .bool(flag)
    case .number(let number): Parameters.Node(number)
    case .string(let text): .string(text)
    case .null, .array, .object: .null
    }
  }
}

extension Parameters.Node {
  init(_ number: JSONValue.Number) {
    if let whole: Int64 = number.integer() {
      self = .integer(whole)
    } else if let decimal = number.decimal {
      self = .decimal(decimal)
    } else if let decimal = Decimal(string: number.text, locale: nil), decimal.description == number.text {
      // `Decimal` holds all whole numbers up to 2^128 - 1, the largest `UInt128`.
      self = .decimal(decimal)
    } else {
      // A number beyond the range of `Double` becomes infinity, which the writers refuse.
      self = .double(Double(number.text) ?? .nan)
    }
  }

  /// Creates a node for an integer of at most 64 bits.
  init(_ number: some BinaryInteger) {
    self =
      if let small = Int64(exactly: number) { .integer(small) } else {
        .decimal(Decimal(UInt64(truncatingIfNeeded: number)))
      }
  }
}

extension Int: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension Int8: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension Int16: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension Int32: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension Int64: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension UInt: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension UInt8: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension UInt16: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension UInt32: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension UInt64: ParameterValue {
  /// A number.
  public var parameterNode: Parameters.Node? { .init(self) }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
  /// The wrapped value; `nil` leaves the key out, or is null in a list.
  public var parameterNode: Parameters.Node? { flatMap(\.parameterNode) }
}

extension Array: ParameterValue where Element: ParameterValue {
  /// A list.
  public var parameterNode: Parameters.Node? { .list(map { $0.parameterNode ?? .null }) }
}

extension Set: ParameterValue where Element: ParameterValue {
  /// A sorted list, because a set has no order.
  public var parameterNode: Parameters.Node? {
    .list(map { $0.parameterNode ?? .null }.sorted(by: ParameterOrder.precedes))
  }
}

extension Dictionary: ParameterValue where Key == String, Value: ParameterValue {
  /// An object sorted by key, because a dictionary has no order.
  public var parameterNode: Parameters.Node? {
    let sorted = self.sorted { $0.key < $1.key }
    return .object(
      Parameters(
        entries: sorted.compactMap { key, value in
          value.parameterNode.map { Parameters.Entry(key: key, value: $0) }
        }))
  }
}
