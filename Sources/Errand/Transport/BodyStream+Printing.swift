extension BodyStream: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `body stream`; never the bytes, nor where they come from.
  public var description: String { "body stream" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` no bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
