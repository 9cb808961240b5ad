/// The dispatches of an agent that have begun and not ended.
final class InFlight: Sendable {
  /// One dispatch: its number, what cancels it, and what it begins under.
  struct Entry: Sendable {
    let id: UInt64
    let signal: CancellationSignal
    /// The listeners that were there when it began.
    let listeners: [EventListener]
    fileprivate let override: TransportOverride?
    fileprivate let scopes: TransportScopes
    fileprivate let place: Int
  }

  private struct State {
    var last: UInt64 = 0
    /// As long as the most that were in flight at once.
    var signals: [CancellationSignal?] = []
    var freePlaces: [Int] = []
    /// Empty outside of tests.
    var scopes = TransportScopes()
    var listeners: [EventListener] = []
  }

  private let state = Locked(State())

  /// Enters a dispatch under a number no other dispatch of the agent has.
  func enter() -> Entry {
    let signal = CancellationSignal()
    let override = TransportOverride.current
    return state.withLock { state in
      state.last += 1
      if let scope = override?.scope { state.scopes.remember(scope) }
      let place = state.freePlaces.popLast() ?? state.signals.count
      if place == state.signals.count { state.signals.append(signal) } else { state.signals[place] = signal }
      // Under an override nothing strays.
      let scopes = override == nil ? state.scopes : TransportScopes()
      return Entry(
        id: state.last, signal: signal, listeners: state.listeners, override: override, scopes: scopes,
        place: place)
    }
  }

  /// Remembers the scope that the agent is made under, if there is one.
  func rememberScope() {
    guard let scope = TransportOverride.current?.scope else { return }
    state.withLock { $0.scopes.remember(scope) }
  }

  deinit { for listener in state.withLock(\.listeners) { listener.end() } }

  /// Lets a listener hear of the dispatches that begin from now on.
  func add(_ listener: EventListener) { state.withLock { $0.listeners.append(listener) } }

  func remove(_ listener: EventListener) { state.withLock { $0.listeners.removeAll { $0 === listener } } }

  /// Forgets a dispatch; to be called once.
  func remove(_ entry: Entry) {
    state.withLock { state in
      state.signals[entry.place] = nil
      state.freePlaces.append(entry.place)
    }
  }

  var count: Int { state.withLock { $0.signals.count - $0.freePlaces.count } }

  var signals: [CancellationSignal] { state.withLock { $0.signals.compactMap(\.self) } }
}

extension InFlight.Entry {
  /// What tells the operations of ``RequestAgent/withTransport(_:isolation:operation:)`` apart; 0 outside of all.
  var overrideNumber: UInt64 { override?.number ?? 0 }

  /// What wants to know of the dispatch; `nil` outside of tests.
  var scope: (any TransportScope)? { override?.scope }

  /// Whether there is a ``scope``, for those who would not touch it.
  @inline(__always)
  var hasScope: Bool { override?.scope != nil }

  /// What answers in place of the agent's own transport; `nil` for itself.
  @inline(__always)
  func substitute(for own: any Transport) -> (any Transport)? {
    if let override { return override.transport }
    return scopes.transport(inPlaceOf: own)
  }

  /// Waits between two dispatches of what sends several; throws where the task or the agent cancels meanwhile.
  func rest(_ time: Duration, of agent: RequestAgent) async throws {
    let clock = agent.configuration.clock
    try? await withTaskCancellationHandler {
      try await signal.cancelling { try await clock.sleep(time) }
    } onCancel: {
      signal.cancel(by: .task)
    }
    try Task.checkCancellation()
    guard signal.isCancelled else { return }
    throw RequestError(
      .cancelled, "the agent cancelled all its requests", stage: .transport, redaction: agent.tools.redaction)
  }
}
