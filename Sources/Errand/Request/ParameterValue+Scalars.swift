public import Foundation

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
  /// A number; an infinite one, or one that is not a number, fails when the request is built.
  public var parameterNode: Parameters.Node? { .double(self) }
}

extension Float: ParameterValue {
  /// A number with the digits that the `Float` prints: `0.1 as Float` is sent as `0.1`.
  public var parameterNode: Parameters.Node? { .double(Double(description) ?? Double(self)) }
}

extension Decimal: ParameterValue {
  /// A number with every digit.
  public var parameterNode: Parameters.Node? { .decimal(self) }
}

extension URL: ParameterValue {
  /// The absolute URL as text.
  public var parameterNode: Parameters.Node? { .string(absoluteString) }
}

extension UUID: ParameterValue {
  /// The 36 upper-case characters.
  public var parameterNode: Parameters.Node? { .string(uuidString) }
}
