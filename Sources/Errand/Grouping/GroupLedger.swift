/// The members of one run of a group and what became of them.
final class GroupLedger: Sendable {
  fileprivate struct Member: Sendable {
    let request: any Request
    /// Whether it is remembered however many follow.
    let isKept: Bool
    var isStarted = false
    var outcome: Outcome<Void>?
    var report: ExchangeReport?
  }

  fileprivate struct State {
    /// By index; of those sent one by one, the last ``limit`` that ended.
    var members: [Int: Member] = [:]
    /// How many there were.
    var announced = 0
    /// Those that may be forgotten, in the order of their ends.
    var ended = FIFOQueue<Int>()
    /// Those that ended without success, in the order of their ends.
    var problems: [Int] = []
    var last: Int?
    var started = 0
    var completed = 0
    var isClosed = false
  }

  /// How many members that were sent one by one are remembered: a chain may poll for ever.
  static let limit = 1_000

  private let state = Locked(State())
  /// Told after each change.
  let changes = ProgressSignal()
  /// The progress as it changes, until the group ends.
  var updates: Updates<GroupProgress> {
    Updates(read: { self.progress }, isSame: ==, changes: changes)
  }

  /// Adds a member of those sent one by one, and gives its index.
  func announce(_ request: any Request) -> Int { announce([request], isBatch: false) }

  /// Adds members that are sent together, or known from the start, and gives the index of the first.
  func announce(_ requests: [any Request], isBatch: Bool = true) -> Int {
    let first = state.withLock { state in
      let first = state.announced
      guard !state.isClosed else { return first }
      for request in requests {
        state.members[state.announced] = Member(request: request, isKept: isBatch)
        state.announced += 1
      }
      return first
    }
    changes.send()
    return first
  }

  /// Notes that a member is sent; `false` when the group has ended before.
  func start(_ index: Int) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.members[index]?.isStarted = true
      state.started += 1
      return true
    }
  }

  func end(_ index: Int, with outcome: Outcome<Void>, report: ExchangeReport) {
    // Released after the lock: it may be the last that holds a request.
    _ = state.withLock { state -> Member? in
      guard !state.isClosed else { return nil }
      state.members[index]?.outcome = outcome
      state.members[index]?.report = report
      state.last = index
      state.completed += 1
      if outcome.value == nil { state.problems.append(index) }
      return state.members[index]?.isKept == false ? state.forget(for: index) : nil
    }
    changes.send()
  }

  /// Takes no more members and changes.
  func close() { state.withLock { $0.isClosed = true } }

  var hasStarted: Bool { state.withLock { $0.started > 0 } }

  var progress: GroupProgress {
    state.withLock { GroupProgress(completed: $0.completed, total: $0.announced) }
  }

  var lastReport: ExchangeReport? {
    state.withLock { state in state.last.flatMap { state.members[$0]?.report } }
  }

  func hasSucceeded(_ index: Int) -> Bool { state.withLock { $0.members[index]?.outcome?.value != nil } }

  /// Throws when one of these members ended without success: the first failure, where there is one.
  ///
  /// What became of the others is not theirs: code that runs a batch may have caught it before.
  func checkProblems(among indices: Range<Int>) throws {
    let (failure, isFine) = state.withLock { state in
      let problems = state.problems.filter(indices.contains)
      let failed = problems.first { state.members[$0]?.outcome?.error != nil }
      return (failed.map { ($0, state.members[$0]?.outcome?.error) }, problems.isEmpty)
    }
    if let (index, error) = failure, let error { throw self.error(error, of: index, among: indices) }
    if !isFine { throw CancellationError() }
  }

  /// The error of a member, which names it, and those of `others` that failed besides.
  func error(_ error: RequestError, of index: Int, among others: Range<Int>) -> RequestError {
    let failures: [RequestError.GroupFailure.Member] = state.withLock { state in
      guard let own = Self.failure(in: state, at: index) else { return [] }
      let more = state.problems.filter { $0 != index && others.contains($0) }
      return [own] + more.compactMap { Self.failure(in: state, at: $0) }
    }
    var error = error
    error.group = failures.isEmpty ? nil : RequestError.GroupFailure(members: failures)
    return error
  }

  private static func failure(in state: State, at index: Int) -> RequestError.GroupFailure.Member? {
    guard let member = state.members[index], let error = member.outcome?.error else { return nil }
    return RequestError.GroupFailure.Member(index: index, request: member.request, error: error)
  }

  /// The account of a member that was sent and has ended.
  func endedReport(of index: Int) -> GroupReport.Member? {
    state.withLock { state in
      guard let member = state.members[index], member.outcome != nil else { return nil }
      return Self.report(of: member, at: index)
    }
  }

  /// The accounts of all members that are remembered.
  var reports: [GroupReport.Member] {
    state.withLock { state in
      state.members.sorted { $0.key < $1.key }.map { Self.report(of: $0.value, at: $0.key) }
    }
  }

  private static func report(of member: Member, at index: Int) -> GroupReport.Member {
    GroupReport.Member(
      index: index, request: member.request, wasSent: member.isStarted, outcome: member.outcome ?? .cancelled,
      exchange: member.report)
  }
}

extension GroupLedger.State {
  /// Notes that a member has ended, and gives the one that is forgotten for it.
  fileprivate mutating func forget(for index: Int) -> GroupLedger.Member? {
    ended.append(index)
    guard ended.count > GroupLedger.limit, let gone = ended.popFirst() else { return nil }
    if let place = problems.firstIndex(of: gone) { problems.remove(at: place) }
    return members.removeValue(forKey: gone)
  }
}
