extension MemberReport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The index, the type of the request, and how it ended; no value of the request.
  public var description: String {
    "\(index) \(type(of: request)): \(outcome)\(wasSent ? "" : ", not sent")"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}

extension GroupFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The index and the type of the member, and how many others failed; no value of a request.
  public var description: String {
    let text = "index \(index) of the group, \(type(of: request))"
    switch members.count {
    case 1: return text
    case 2: return "\(text); one other failed"
    case let count: return "\(text); \(count - 1) others failed"
    }
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the members.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: members.map(\.description)) }
}

extension GroupFailure.Member: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The index, the type of the request, and the error; no value of the request.
  public var description: String { "\(index) \(type(of: request)): \(error)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
