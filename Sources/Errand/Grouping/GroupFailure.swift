extension RequestError {
  /// The failed members behind the error of a group; see ``RequestError/group``.
  public struct GroupFailure: Sendable {
    /// The member with the error first, then other failed members, if known.
    public private(set) var members: [GroupReport.Member]

    init(members: [GroupReport.Member]) { self.members = members }

    /// The position of the member with the error, from 0.
    public var index: Int { members[0].index }

    /// The request of the member with the error.
    public var request: any Request { members[0].request }
  }
}

extension RequestError {
  /// The failed members, for an error of a group with a known failed member; otherwise `nil`.
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
