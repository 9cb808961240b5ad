extension RequestContext: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `dispatch 7, attempt 2`; never the request, nor what it carries along.
  public var description: String { "dispatch \(id), attempt \(attempt)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the numbers only.
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "attempt": attempt]) }
}
