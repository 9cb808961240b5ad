extension Parameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The keys, such as `["page", "token"]`; never a value, which may be a secret.
  public var description: String { keys.description.printed }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the keys only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: keys.map(\.printed)) }
}

extension Parameters.Entry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The key.
  public var description: String { key.debugDescription.printed }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the key only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [key.printed]) }
}

extension Parameters.Node: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind, such as `string`; the keys of an object.
  public var description: String {
    if case .object(let object) = self { object.description } else { kind }
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the kind only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
