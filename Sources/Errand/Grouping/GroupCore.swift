/// What the members of one run of a group share.
final class GroupCore: Sendable {
  let agent: RequestAgent
  let group: any RequestGroup
  /// The group's number, and what cancels all of it.
  let entry: InFlight.Entry
  /// Ends the members: fires with the group's own signal, and when no more are wanted.
  let stop = CancellationSignal()
  let ledger = GroupLedger()
  let watchers: [any GroupAccessory]
  /// On the agent's clock.
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

  /// Dispatches a member, unless the group, or the batch in it, has been stopped: then it ends as cancelled without a dispatch.
  ///
  /// - Parameter batch: ends the members of the batch that it belongs to, and fires with the group's; `nil` without one.
  func outcome<R: Request>(
    of request: R, at index: Int, in batch: CancellationSignal? = nil
  ) async -> Outcome<R.Response> {
    let stop = batch ?? stop
    guard !stop.isCancelled, ledger.start(index) else { return .cancelled }
    let entry = agent.inFlight.enter()
    let ending = stop.onCancel { entry.signal.cancel() }
    defer { stop.removeHandler(ending) }
    let dispatch = Dispatch(request, agent: agent, entry: entry)
    var account = Ledger()
    let result = await agent.outcome(of: dispatch, &account)
    let report = dispatch.report(result, account)
    let outcome = result.reported(in: report)
    // It reached the member before it reached the group.
    if entry.signal.source == .agent { self.entry.signal.cancel(by: .agent) }
    ledger.end(index, outcome.map { _ in }, report)
    return outcome
  }

  /// Waits on the agent's clock; a stop ends it at once.
  func wait(_ duration: Duration) async {
    let sleep = agent.configuration.clock.sleep
    try? await stop.cancelling { try await sleep(duration) }
  }

  /// Runs the members that `send` sends by their place among `requests`, at most `width` at once; gives their indices.
  ///
  /// A failure ends these members, and not the group: code that runs a batch in it may go on.
  func together(
    _ requests: [any Request], width: Int?, stopsOnFailure: Bool,
    _ send: @escaping @Sendable (_ place: Int, _ index: Int, _ batch: CancellationSignal) async -> Void
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
}
