extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One `Name: value` a line, secrets hidden by ``Redaction/standard``.
  public var description: String {
    Redaction.standard.headers(self).fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n").printed
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the redacted lines only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: description.split(separator: "\n")) }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Name: value`, a secret hidden by ``Redaction/standard``.
  public var description: String { HTTPHeaders([self]).description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the redacted line only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
