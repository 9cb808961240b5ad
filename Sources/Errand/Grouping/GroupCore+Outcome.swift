import Foundation

extension GroupCore {
  /// The whole run but for its last events; fixes the outcome.
  func outcome<G: RequestGroup>(of group: G) async -> Outcome<G.Results> {
    for watcher in watchers { await watcher.groupWillStart(context) }
    var outcome = await work(of: group)
    stop.cancel()
    for watcher in watchers { await watcher.groupWillStop(context) }
    // The flag of the task is set before its handlers are called.
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

  /// Of what the group threw that is no error of a member.
  private func requestError(_ thrown: any Error) -> RequestError {
    let refusal = thrown as? Refusal
    var error = RequestError(
      refusal?.kind ?? .hook, refusal?.message ?? "the group threw \(String(describing: thrown))",
      stage: .build, elapsed: elapsed, cause: thrown, redaction: agent.tools.redaction)
    // It may tell what the member before was answered.
    error.link = ledger.lastReport?.link ?? error.link
    return error
  }

  /// What the caller catches when the group was cancelled, but not by its task.
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

  /// Tells that a member ended; nothing of one that was not sent.
  func tellStop(of index: Int) async {
    guard !watchers.isEmpty, let report = ledger.endedReport(of: index) else { return }
    for watcher in watchers { await watcher.groupMemberDidStop(report, context: context) }
  }

  func tellDidStop(_ report: GroupReport) async {
    for watcher in watchers { await watcher.groupDidStop(report, context: context) }
  }
}
