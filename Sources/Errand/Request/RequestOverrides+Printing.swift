extension RequestOverrides: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `overrides`; never a member, as any may hold a secret.
  public var description: String { "overrides" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
