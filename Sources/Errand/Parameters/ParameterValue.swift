public import Foundation

/// A value allowed in ``Parameters``.
///
/// Conforming types include:
///
/// - `String`, `Substring`, `Bool`, `Double`, `Float`, `Decimal` and integers of up to 64 bits
/// - `Date`, `Data`, `URL`, `UUID`, ``Secret`` and ``/ErrandJSON/JSONValue``
/// - optionals, arrays, sets and `String`-keyed dictionaries of conforming types
///
/// An enum whose raw value conforms needs no code: `enum Sort: String, ParameterValue`.
public protocol ParameterValue: Sendable {
  /// The value. `nil` leaves the key out; in a list, `nil` becomes null.
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
  /// A number.
  public var parameterNode: Parameters.Node? { .double(self) }
}

extension Float: ParameterValue {
  /// The number that `description` shows: `0.1 as Float` is sent as `0.1`.
  public var parameterNode: Parameters.Node? { .double(Double(description) ?? Double(self)) }
}

extension Decimal: ParameterValue {
  /// A number with all digits.
  public var parameterNode: Parameters.Node? { .decimal(self) }
}

extension Date: ParameterValue {
  /// A time; by default RFC 3339 text in UTC.
  public var parameterNode: Parameters.Node? { .date(self) }
}

extension Data: ParameterValue {
  /// Bytes; by default base64.
  public var parameterNode: Parameters.Node? { .data(self) }
}

extension URL: ParameterValue {
  /// `absoluteString` as text, except for a file URL.
  ///
  /// For a file, write `.file(url)`, because Errand's serializers refuse a bare file URL.
  public var parameterNode: Parameters.Node? { isFileURL ? .file(.bare(self)) : .string(absoluteString) }
}

extension UUID: ParameterValue {
  /// The UUID in upper case.
  public var parameterNode: Parameters.Node? { .string(uuidString) }
}

extension Secret: ParameterValue {
  /// A secret text.
  public var parameterNode: Parameters.Node? { .secret(self) }
}

extension JSONValue: ParameterValue {
  /// The value with members sorted by name.
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
      // `Decimal` can hold whole numbers up to 2^128 - 1, but `decimal` refuses more than 38 digits.
      self = .decimal(decimal)
    } else {
      // A number too large for `Double` becomes infinity, which the writers refuse.
      self = .double(Double(number.text) ?? .nan)
    }
  }

  /// For numbers of at most 64 bits.
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
  /// The wrapped value, or `nil`.
  public var parameterNode: Parameters.Node? { flatMap(\.parameterNode) }
}

extension Array: ParameterValue where Element: ParameterValue {
  /// A list.
  public var parameterNode: Parameters.Node? { .list(map { $0.parameterNode ?? .null }) }
}

extension Set: ParameterValue where Element: ParameterValue {
  /// A sorted list.
  public var parameterNode: Parameters.Node? {
    .list(map { $0.parameterNode ?? .null }.sorted(by: ParameterOrder.precedes))
  }
}

extension Dictionary: ParameterValue where Key == String, Value: ParameterValue {
  /// An object sorted by key.
  public var parameterNode: Parameters.Node? {
    let sorted = self.sorted { $0.key < $1.key }
    return .object(
      Parameters(
        entries: sorted.compactMap { key, value in
          value.parameterNode.map { Parameters.Entry(key: key, value: $0) }
        }))
  }
}
