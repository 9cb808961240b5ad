/// Implements `waitForAll()` and `drain(within:)`.
struct AgentEnd {
  private let agent: RequestAgent

  init(of agent: RequestAgent) { self.agent = agent }

  func wait(within limit: Duration? = nil) async {
    let (signal, clock) = (CancellationSignal(), agent.clock)
    let timer = limit.map { limit in
      clock.call(clock.now() + max(limit, .zero).clamped(to: AgentClock.longestSleep)) { signal.cancel() }
    }
    await withTaskCancellationHandler {
      async let groups: Void = agent.groups.waitForEnd(unless: signal)
      await agent.inFlight.waitForEnd(unless: signal)
      await groups
    } onCancel: {
      signal.cancel()
    }
    timer?.cancel()
  }

  func drain(within limit: Duration) async -> Int {
    agent.groups.close()
    agent.inFlight.close()
    await wait(within: limit)
    agent.groups.close(isFinal: true)
    agent.inFlight.close(isFinal: true)
    let signals = agent.inFlight.signals.filter { !$0.isCancelled }
    agent.cancelAll()
    // Waits again, because a cancelled dispatch ends only after its hooks.
    await agent.inFlight.waitForEnd(unless: CancellationSignal())
    // The signal of a dispatch with a final outcome does not fire, so the dispatch is not counted.
    return signals.filter { $0.source == .agent }.count
  }
}
