extension RequestError {
  /// Which members of a group failed; see ``RequestError/group``.
  public struct GroupFailure: Sendable {
    /// A member that failed.
    public struct Member: Sendable {
      /// Its place in the group, from 0.
      public var index: Int
      /// The request.
      public var request: any Request
      /// Why it failed.
      public var error: RequestError
    }

    /// All that failed: first the one whose error this is, then the others as they ended.
    ///
    /// Never empty. Those that were cancelled because of a failure are not among them. In a chain it is the one alone, unless the chain is
    /// a list that goes on after failures.
    public private(set) var members: [Member]

    init(members: [Member]) { self.members = members }

    /// The place of the member whose error this is, from 0.
    public var index: Int { members[0].index }

    /// Its request.
    public var request: any Request { members[0].request }
  }
}

extension RequestError {
  /// The member of a group whose error this is, and the others that failed; `nil` outside of groups.
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
