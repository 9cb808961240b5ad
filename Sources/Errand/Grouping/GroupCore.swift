import Foundation

final class GroupCore: Sendable {
  let agent: RequestAgent
  let group: any RequestGroup
  let entry: InFlight.Entry
  /// Cancels the members.
  ///
  /// Fires when the group is cancelled, and when the group's work has ended.
  let stop = CancellationSignal()
  let ledger = GroupLedger()
  private let watchers: [any GroupAccessory]
  let started: Duration

  init(_ group: some RequestGroup, agent: RequestAgent, entry: InFlight.Entry) {
    self.agent = agent
    self.group = group
    self.entry = entry
    watchers = agent.accessories.compactMap { $0 as? any GroupAccessory } + group.accessories
    started = agent.configuration.clock.now()
    entry.signal.onCancel { [stop] in stop.cancel() }
  }

  var elapsed: Duration { agent.configuration.clock.now() - started }

  func outcome<R: Request>(
    of request: R, at index: Int, in batch: CancellationSignal? = nil
  ) async -> Outcome<R.Response> {
    let stop = batch ?? stop
    guard !stop.isCancelled, ledger.start(index) else { return .cancelled }
    let dispatch = Dispatch.begin(request, by: agent, under: entry)
    let ending = stop.onCancel { dispatch.time.cancellation.cancel() }
    defer { stop.removeHandler(ending) }
    var account = DispatchState()
    let result = await withTaskCancellationHandler {
      await dispatch.run(&account)
    } onCancel: {
      dispatch.cancel(by: .task)
    }
    let report = dispatch.report(result, on: account)
    let outcome = result.reported(in: report)
    // A member that the agent cancelled, such as in ``RequestAgent/cancelAll()``, also cancels the group.
    if dispatch.entry.signal.source == .agent { self.entry.signal.cancel(by: .agent) }
    ledger.end(index, with: outcome.map { _ in }, report: report)
    return outcome
  }

  func wait(_ duration: Duration) async {
    let clock = agent.configuration.clock
    try? await stop.cancelling { try await clock.sleep(duration) }
  }

  /// Sends the requests as a batch, at most `width` at a time.
  ///
  /// With `stopsOnFailure`, a failed member cancels the batch. The group's code may still continue.
  func together(
    _ requests: [any Request], width: Int?, stopsOnFailure: Bool,
    send: @escaping @Sendable (_ place: Int, _ index: Int, _ batch: CancellationSignal) async -> Void
  ) async -> Range<Int> {
    let first = ledger.announce(requests)
    let (group, stop) = (self.stop, CancellationSignal())
    let ending = group.onCancel { stop.cancel() }
    defer { group.removeHandler(ending) }
    var waiting = requests.indices
    let width = max(width ?? requests.count, 1)
    await withTaskGroup(of: Int.self) { tasks in
      func add(_ place: Int) {
        tasks.addTask {
          await send(place, first + place, stop)
          return first + place
        }
      }
      for place in waiting.prefix(width) where !stop.isCancelled { add(place) }
      waiting = waiting.dropFirst(width)
      while let index = await tasks.next() {
        if stopsOnFailure, !ledger.hasSucceeded(index) { stop.cancel() }
        await tellStop(of: index)
        if !stop.isCancelled, let place = waiting.popFirst() { add(place) }
      }
    }
    return first..<(first + requests.count)
  }

  func results<G: RequestGroup>(of group: G) async throws -> G.Results {
    let ended = await withTaskCancellationHandler {
      await run(group, completion: nil)
    } onCancel: {
      entry.signal.cancel(by: .task)
    }
    ledger.changes.end()
    switch ended.outcome {
    case .success(let results): return results
    case .failure(let error): throw error
    case .cancelled: throw entry.signal.source == .task ? CancellationError() : ended.cancelledError
    }
  }

  func run<G: RequestGroup>(
    _ group: G, completion: (@Sendable (Outcome<G.Results>) async -> Void)?
  ) async -> EndedGroup<G.Results> {
    defer { agent.groups.remove(entry) }
    let outcome = await outcome(of: group)
    await completion?(outcome)
    let report = report(outcome)
    await tellDidStop(report)
    return EndedGroup(outcome: outcome, report: report, cancelledError: cancelledError(report))
  }

  private func outcome<G: RequestGroup>(of group: G) async -> Outcome<G.Results> {
    for watcher in watchers { await watcher.groupWillStart(context) }
    var outcome = await work(of: group)
    stop.cancel()
    for watcher in watchers { await watcher.groupWillStop(context) }
    // In a cancelled task, `onCancel` may not have run yet.
    if Task.isCancelled { entry.signal.cancel(by: .task) }
    if entry.signal.close() { outcome = .cancelled }
    ledger.close()
    return outcome
  }

  private func work<G: RequestGroup>(of group: G) async -> Outcome<G.Results> {
    do {
      return .success(try await group.results(in: GroupRun(core: self)))
    } catch is CancellationError {
      return .cancelled
    } catch let error as RequestError {
      return error.isCancelled ? .cancelled : .failure(error)
    } catch {
      return .failure(requestError(error))
    }
  }

  private func requestError(_ thrown: any Error) -> RequestError {
    let refusal = thrown as? Refusal
    var error = RequestError(
      refusal?.kind ?? .hook, refusal?.message ?? "the group threw \(String(describing: thrown))",
      stage: .build, elapsed: elapsed, cause: thrown, redaction: agent.tools.redaction)
    // The error may quote the last member's response. The `link` lets the error hide the secrets of that
    // dispatch.
    error.link = ledger.lastReport?.link ?? error.link
    return error
  }

  func cancelledError(_ report: GroupReport) -> RequestError {
    let last = ledger.lastReport
    let reason =
      entry.signal.source == .agent ? "the agent cancelled all its requests" : "the group was cancelled"
    return RequestError(
      .cancelled, reason, stage: last?.lastStage ?? .build, request: last?.request, response: last?.response,
      attempts: last?.attempts.count ?? 0, elapsed: report.elapsed, redaction: agent.tools.redaction)
  }

  var context: GroupContext {
    GroupContext(
      id: entry.id, group: group, progress: ledger.progress, redaction: agent.tools.redaction)
  }

  func report<Results>(_ outcome: Outcome<Results>) -> GroupReport {
    let clock = agent.configuration.clock
    return GroupReport(
      id: entry.id, started: clock.epoch.addingTimeInterval(started / .seconds(1)), elapsed: elapsed,
      members: ledger.reports, outcome: outcome.map { _ in })
  }

  func tellStop(of index: Int) async {
    guard !watchers.isEmpty, let report = ledger.endedReport(of: index) else { return }
    for watcher in watchers { await watcher.groupMemberDidStop(report, context: context) }
  }

  func tellDidStop(_ report: GroupReport) async {
    for watcher in watchers { await watcher.groupDidStop(report, context: context) }
  }
}
