extension GroupContext: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of the run, the type of the group, and its progress; no value of a request.
  public var description: String {
    "group \(id), \(type(of: group)), \(progress.completed) of \(progress.total)"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}

extension GroupHandle: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of the run, the type of the group, and its progress; no value of a request.
  public var description: String { core.context.description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}

extension GroupRun: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of the run, the type of the group, and its progress; no value of a request.
  public var description: String { core.context.description }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
