/// The running dispatches of an agent, or its running groups, uploads and event streams.
final class InFlight: Sendable {
  struct Entry: Sendable {
    let id: UInt64
    let signal: CancellationSignal
    let listeners: [EventListener]
    fileprivate let override: TransportOverride?
    fileprivate let scopes: TransportScopes
    fileprivate let index: Int
  }

  struct Facts: Sendable {
    let signal: CancellationSignal
    /// `nil` before ``attach(_:to:)``; only dispatches attach a source.
    fileprivate(set) var source: (any LiveSource)?
    /// `nil` before the first call of ``note(_:after:of:)``.
    fileprivate(set) var progress: Progress?

    fileprivate mutating func exchange(_ other: inout (any LiveSource)?) { swap(&source, &other) }
  }

  final class Progress: Sendable {
    let state: LiveDispatch.State
    let attempts: [AttemptReport]

    init(_ state: LiveDispatch.State, after attempts: [AttemptReport]) {
      (self.state, self.attempts) = (state, attempts)
    }
  }

  private struct State {
    var last: UInt64 = 0
    /// `nil` at the indices in ``freeIndices``.
    var entries: [Facts?] = []
    var freeIndices: [Int] = []
    /// The test scopes in which the agent was created or used.
    var scopes = TransportScopes()
    var listeners: [EventListener] = []
  }

  private let state = Locked(State())

  /// - Parameter signal: the signal of the upload or event stream that sends the request.
  @inline(__always)
  func enterDispatch(under signal: CancellationSignal? = nil) -> Entry {
    let entry = enter()
    // `cancelAll()` fires the signals of dispatches last, so no cancellation is lost after this check.
    if let signal, signal.isCancelled { entry.signal.cancel(by: .agent) }
    return entry
  }

  func enter() -> Entry {
    let signal = CancellationSignal()
    let override = TransportOverride.current
    return state.withLock { state in
      state.last += 1
      if let scope = override?.scope { state.scopes.remember(scope) }
      let index = state.freeIndices.popLast() ?? state.entries.count
      let facts = Facts(signal: signal)
      if index == state.entries.count { state.entries.append(facts) } else { state.entries[index] = facts }
      let scopes = override == nil ? state.scopes : TransportScopes()
      return Entry(
        id: state.last, signal: signal, listeners: state.listeners, override: override, scopes: scopes,
        index: index)
    }
  }

  func rememberScope() {
    guard let scope = TransportOverride.current?.scope else { return }
    state.withLock { $0.scopes.remember(scope) }
  }

  deinit { for listener in state.withLock(\.listeners) { listener.end() } }

  func add(_ listener: EventListener) { state.withLock { $0.listeners.append(listener) } }

  func remove(_ listener: EventListener) { state.withLock { $0.listeners.removeAll { $0 === listener } } }

  /// Must be called exactly once for each entry, because a second call could remove a new entry at the same
  /// index.
  func remove(_ entry: Entry) {
    // Released after the lock, because the release of a dispatch may run code of the app.
    _ = state.withLock { state -> Facts? in
      state.freeIndices.append(entry.index)
      return state.entries[entry.index].take()
    }
  }

  @inline(__always)
  func attach(_ source: any LiveSource, to entry: Entry) {
    var other: (any LiveSource)? = source
    state.withLock { $0.entries[entry.index]?.exchange(&other) }
  }

  /// - Parameter attempts: `nil` if no further attempt has finished.
  @inline(never)
  func note(_ progress: LiveDispatch.State, after attempts: [AttemptReport]? = nil, of entry: Entry) {
    _ = state.withLock { state -> Progress? in
      let before = state.entries[entry.index]?.progress
      state.entries[entry.index]?.progress = Progress(progress, after: attempts ?? before?.attempts ?? [])
      return before
    }
  }

  var count: Int { state.withLock { $0.entries.count - $0.freeIndices.count } }

  var signals: [CancellationSignal] { state.withLock { $0.entries.compactMap { $0?.signal } } }

  var dispatches: [LiveDispatch] {
    let facts = state.withLock { $0.entries.compactMap(\.self) }
    return facts.compactMap { facts in facts.source?.live(facts) }.sorted { $0.id < $1.id }
  }
}

extension InFlight.Entry {
  /// 0: no override.
  var overrideNumber: UInt64 { override?.number ?? 0 }

  var scope: (any TransportScope)? { override?.scope }

  @inline(__always)
  var hasScope: Bool { override?.scope != nil }

  /// Returns `nil` if no transport replaces the agent's.
  @inline(__always)
  func substitute(for own: any Transport) -> (any Transport)? {
    if let override { return override.scope?.transport(inPlaceOf: own) ?? override.transport }
    return scopes.transport(inPlaceOf: own)
  }

  func sleep(_ time: Duration, of agent: RequestAgent) async throws {
    let clock = agent.configuration.clock
    try? await withTaskCancellationHandler {
      try await signal.cancelling { try await clock.sleep(time) }
    } onCancel: {
      signal.cancel(by: .task)
    }
    try check(of: agent)
  }

  func check(of agent: RequestAgent) throws {
    try Task.checkCancellation()
    guard signal.isCancelled else { return }
    throw RequestError(
      .cancelled, "the agent cancelled all its requests", stage: .transport, redaction: agent.tools.redaction)
  }
}
