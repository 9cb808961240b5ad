extension RequestError {
  /// The failed members of a group; see ``RequestError/group``.
  public struct GroupFailure: Sendable {
    /// The failed members, beginning with the member causing the error.
    public private(set) var members: [GroupReport.Member]

    init(members: [GroupReport.Member]) { self.members = members }

    /// The position of the member causing the error, from 0.
    public var index: Int { members[0].index }

    /// The request of the member causing the error.
    public var request: any Request { members[0].request }
  }
}

extension RequestError {
  /// The failed members of a group; `nil` if no failed member is known.
  public internal(set) var group: GroupFailure? {
    get { (failedMembers as? FailedMembers)?.failure }
    set { failedMembers = newValue.map(FailedMembers.init) }
  }

  private final class FailedMembers: CustomStringConvertible, Sendable {
    let failure: GroupFailure
    var description: String { "\(failure)" }

    init(_ failure: GroupFailure) { self.failure = failure }
  }
}
