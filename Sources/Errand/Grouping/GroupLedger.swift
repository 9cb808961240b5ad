final class GroupLedger: Sendable {
  fileprivate struct Member: Sendable {
    let request: any Request
    /// True for a member of a batch, or of the list passed to a chain.
    ///
    /// The ledger keeps such members.
    let isKept: Bool
    var isStarted = false
    var outcome: Outcome<Void>?
    var report: ExchangeReport?
  }

  fileprivate struct State {
    /// The stored members by index; see ``limit``.
    var members: [Int: Member] = [:]
    var announced = 0
    var ended = FIFOQueue<Int>()
    /// The indices of stored members that failed or were cancelled, earliest end first.
    var problems: [Int] = []
    var last: Int?
    var started = 0
    var completed = 0
    var isClosed = false
  }

  /// The maximum number of ended members with `isKept == false` in the ledger.
  ///
  /// Older members are removed, because a chain may poll without end.
  static let limit = 1_000

  private let state = Locked(State())
  let changes = ProgressSignal()
  var changingProgress: ChangingValue<GroupReport.Progress> {
    ChangingValue(read: { self.progress }, isSame: ==, changes: changes)
  }

  func announce(_ request: any Request) -> Int { announce([request], isBatch: false) }

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

  func start(_ index: Int) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.members[index]?.isStarted = true
      state.started += 1
      return true
    }
  }

  func end(_ index: Int, with outcome: Outcome<Void>, report: ExchangeReport) {
    // The removed member is released outside the lock, because the release may run the caller's code.
    _ = state.withLock { state -> Member? in
      guard !state.isClosed else { return nil }
      state.members[index]?.outcome = outcome
      state.members[index]?.report = report
      state.last = index
      state.completed += 1
      if outcome.value == nil { state.problems.append(index) }
      return state.members[index]?.isKept == false ? state.recordEnd(of: index) : nil
    }
    changes.send()
  }

  func close() { state.withLock { $0.isClosed = true } }

  var hasStarted: Bool { state.withLock { $0.started > 0 } }

  var progress: GroupReport.Progress {
    state.withLock { GroupReport.Progress(completed: $0.completed, total: $0.announced) }
  }

  var lastReport: ExchangeReport? {
    state.withLock { state in state.last.flatMap { state.members[$0]?.report } }
  }

  func hasSucceeded(_ index: Int) -> Bool { state.withLock { $0.members[index]?.outcome?.value != nil } }

  /// Throws the first failure.
  ///
  /// Without a failure, throws `CancellationError` if a member was cancelled.
  func checkProblems(among indices: Range<Int>) throws {
    let (failure, isFine) = state.withLock { state in
      let problems = state.problems.filter(indices.contains)
      let failed = problems.first { state.members[$0]?.outcome?.error != nil }
      return (failed.map { ($0, state.members[$0]?.outcome?.error) }, problems.isEmpty)
    }
    if let (index, error) = failure, let error { throw self.error(error, of: index, among: indices) }
    if !isFine { throw CancellationError() }
  }

  /// Returns the error with ``RequestError/group`` set to the failed members that are still stored.
  func error(_ error: RequestError, of index: Int, among others: Range<Int>) -> RequestError {
    let failures: [GroupReport.Member] = state.withLock { state in
      guard let own = Self.failure(in: state, at: index) else { return [] }
      let more = state.problems.filter { $0 != index && others.contains($0) }
      return [own] + more.compactMap { Self.failure(in: state, at: $0) }
    }
    var error = error
    error.group = failures.isEmpty ? nil : RequestError.GroupFailure(members: failures)
    return error
  }

  private static func failure(in state: State, at index: Int) -> GroupReport.Member? {
    guard let member = state.members[index], member.outcome?.error != nil else { return nil }
    return report(of: member, at: index)
  }

  func endedReport(of index: Int) -> GroupReport.Member? {
    state.withLock { state in
      guard let member = state.members[index], member.outcome != nil else { return nil }
      return Self.report(of: member, at: index)
    }
  }

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
  fileprivate mutating func recordEnd(of index: Int) -> GroupLedger.Member? {
    ended.append(index)
    guard ended.count > GroupLedger.limit, let gone = ended.popFirst() else { return nil }
    if let place = problems.firstIndex(of: gone) { problems.remove(at: place) }
    return members.removeValue(forKey: gone)
  }
}
