import Foundation

extension Parameters.Node {
  /// A whole number of any size up to 64 bits, exactly.
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
