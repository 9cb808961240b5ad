/// A value that may stand in ``Parameters``.
///
/// Text, numbers, `Bool`, `URL`, `UUID`, and optionals, arrays, sets and dictionaries of them conform. An enum whose
/// raw value conforms needs one line: `enum Sort: String, ParameterValue { case name, date }`. Dates need a format,
/// so they do not conform: write the text, as in `date.formatted(.iso8601)`.
public protocol ParameterValue: Sendable {
  /// The value as encoders see it; `nil` leaves its key out, and is null in a list.
  var parameterNode: Parameters.Node? { get }
}

extension ParameterValue where Self: RawRepresentable, RawValue: ParameterValue {
  /// The raw value.
  public var parameterNode: Parameters.Node? { rawValue.parameterNode }
}
