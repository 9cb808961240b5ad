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

  /// What the table has of a dispatch.
  struct Facts: Sendable {
    let signal: CancellationSignal
    /// What knows the rest; `nil` for a group, and before the dispatch is made.
    fileprivate(set) var source: (any LiveSource)?
    /// `nil` while it has never waited.
    fileprivate(set) var notes: Notes?

    /// In place, as every dispatch does it: to read the facts would copy them.
    fileprivate mutating func exchange(_ other: inout (any LiveSource)?) { swap(&source, &other) }
  }

  /// How far a dispatch is, made where it begins or ends to wait: one that never does has none.
  final class Notes: Sendable {
    let state: LiveDispatch.State
    let attempts: [AttemptReport]

    init(_ state: LiveDispatch.State, after attempts: [AttemptReport]) {
      (self.state, self.attempts) = (state, attempts)
    }
  }

  private struct State {
    var last: UInt64 = 0
    /// As long as the most that were in flight at once.
    var places: [Facts?] = []
    var freePlaces: [Int] = []
    /// Empty outside of tests.
    var scopes = TransportScopes()
    var listeners: [EventListener] = []
  }

  private let state = Locked(State())

  /// Enters a dispatch, for each way to begin a request.
  ///
  /// - Parameter signal: the signal of the group, upload or stream of events that sends the request; `nil`, the default, for a request on its
  ///   own. If the signal has fired, the dispatch begins cancelled by the agent.
  @inline(__always)
  func enterDispatch(under signal: CancellationSignal? = nil) -> Entry {
    let entry = enter()
    // Whoever cancels all asks this signal first: it has fired, or the entry will be found.
    if let signal, signal.isCancelled { entry.signal.cancel(by: .agent) }
    return entry
  }

  /// Enters a dispatch under a number no other dispatch of the agent has.
  func enter() -> Entry {
    let signal = CancellationSignal()
    let override = TransportOverride.current
    return state.withLock { state in
      state.last += 1
      if let scope = override?.scope { state.scopes.remember(scope) }
      let place = state.freePlaces.popLast() ?? state.places.count
      let facts = Facts(signal: signal)
      if place == state.places.count { state.places.append(facts) } else { state.places[place] = facts }
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
    // Released after the lock, like all that leaves the table: what a dispatch holds may run code as it goes.
    _ = state.withLock { state -> Facts? in
      state.freePlaces.append(entry.place)
      return state.places[entry.place].take()
    }
  }

  /// Lets the table know who tells of a dispatch.
  @inline(__always)
  func attach(_ source: any LiveSource, to entry: Entry) {
    var other: (any LiveSource)? = source
    state.withLock { $0.places[entry.place]?.exchange(&other) }
  }

  /// Notes how far a dispatch is, where it waits; with the attempts that have ended, where there are others than before.
  @inline(never)
  func note(_ progress: LiveDispatch.State, after attempts: [AttemptReport]? = nil, of entry: Entry) {
    _ = state.withLock { state -> Notes? in
      let before = state.places[entry.place]?.notes
      state.places[entry.place]?.notes = Notes(progress, after: attempts ?? before?.attempts ?? [])
      return before
    }
  }

  var count: Int { state.withLock { $0.places.count - $0.freePlaces.count } }

  var signals: [CancellationSignal] { state.withLock { $0.places.compactMap { $0?.signal } } }

  /// The dispatches as they are now, by their numbers.
  var dispatches: [LiveDispatch] {
    let facts = state.withLock { $0.places.compactMap(\.self) }
    return facts.compactMap { facts in facts.source?.live(facts) }.sorted { $0.id < $1.id }
  }
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
    if let override { return override.scope?.transport(inPlaceOf: own) ?? override.transport }
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
    try check(of: agent)
  }

  /// Throws where the task was cancelled, or the agent has cancelled all.
  func check(of agent: RequestAgent) throws {
    try Task.checkCancellation()
    guard signal.isCancelled else { return }
    throw RequestError(
      .cancelled, "the agent cancelled all its requests", stage: .transport, redaction: agent.tools.redaction)
  }
}
