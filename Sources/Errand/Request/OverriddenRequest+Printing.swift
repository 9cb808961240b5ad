extension OverriddenRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The base, with the secrets of the call hidden in it too; never an override, as any may hold a secret.
  public var description: String {
    Redaction.standard.hidingSecrets(of: self).text(String(describing: base)).printed
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, children: ["base": description, "overrides": overrides]) }
}
