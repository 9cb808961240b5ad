import Foundation

/// The running dispatches of an agent, or its running groups, uploads and event streams.
final class InFlight: Sendable {
  struct Entry: Sendable {
    let id: UInt64
    let signal: CancellationSignal
    let listeners: [EventListener]
    fileprivate let override: TransportOverride?
    fileprivate let scopes: TransportScopes
    fileprivate let index: Int32
    /// True if the request is refused, because the agent was closed.
    fileprivate(set) var isRefused: Bool
  }

  struct Facts: Sendable {
    let signal: CancellationSignal
    /// `nil` before ``attach(_:to:)``, and for groups, uploads and event streams.
    fileprivate(set) var source: (any LiveSource)?
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
    var isClosed = false
    var isEnded = false
    var waiters = EndWaiters()
  }

  private let state = Locked(State())
  /// The locks that the signals share; several, so that threads seldom wait for each other.
  private let signalLocks = (0..<8).map { _ in Locked(false) }

  /// - Parameter parent: the group, upload or event stream that sends the request.
  @inline(__always)
  func enterDispatch(under parent: Entry? = nil) -> Entry {
    let entry = enter(under: parent)
    // `cancelAll()` cancels parents first. A dispatch that enters meanwhile is cancelled here.
    if let source = parent?.signal.source { entry.signal.cancel(by: source) }
    return entry
  }

  func enter(under parent: Entry? = nil) -> Entry {
    let override = TransportOverride.current
    var entry = state.withLock { state in
      state.last += 1
      let signal = CancellationSignal(sharing: signalLocks[Int(state.last % 8)])
      if let scope = override?.scope { state.scopes.remember(scope) }
      let index = state.freeIndices.popLast() ?? state.entries.count
      let facts = Facts(signal: signal)
      if index == state.entries.count { state.entries.append(facts) } else { state.entries[index] = facts }
      let scopes = override == nil ? state.scopes : TransportScopes()
      return Entry(
        id: state.last, signal: signal, listeners: state.listeners, override: override, scopes: scopes,
        index: Int32(truncatingIfNeeded: index), isRefused: state.isClosed)
    }
    if entry.isRefused { entry.isRefused = refuses(under: parent) }
    return entry
  }

  /// Returns true if a request after `close` is refused.
  ///
  /// A request of a parent is refused if the parent was. Until a final `close`, credential refreshes and
  /// hooks with a `HeldSlotMark` may send requests.
  @inline(never)
  private func refuses(under parent: Entry?) -> Bool {
    if let parent { return parent.isRefused }
    return state.withLock(\.isEnded) || !RefreshScope.isRefreshing && !HeldSlotMark.isHeld
  }

  /// - Parameter isFinal: true to refuse requests of refreshes and of hooks with a `HeldSlotMark`, too.
  func close(isFinal: Bool = false) {
    state.withLock { state in
      state.isClosed = true
      if isFinal { state.isEnded = true }
    }
  }

  func waitForEnd(unless signal: CancellationSignal) async {
    var handler: CancellationSignal.HandlerID?
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let id: UInt64? = state.withLock { state in
        let present = state.entries.indices.filter { state.entries[$0] != nil }
        return present.isEmpty ? nil : state.waiters.add(continuation, until: present)
      }
      guard let id else { return continuation.resume() }
      // If the signal has fired, the handler runs at once.
      handler = signal.onCancel { [state] in state.withLock { $0.waiters.remove(id) }?.resume() }
    }
    if let handler { signal.removeHandler(handler) }
  }

  func rememberScope() {
    guard let scope = TransportOverride.current?.scope else { return }
    state.withLock { $0.scopes.remember(scope) }
  }

  deinit { for listener in state.withLock(\.listeners) { listener.end() } }

  func add(_ listener: EventListener) { state.withLock { $0.listeners.append(listener) } }

  func remove(_ listener: EventListener) { state.withLock { $0.listeners.removeAll { $0 === listener } } }

  func tell(_ kind: AgentEvent.Kind, at time: Date) {
    let event = AgentEvent(kind: kind, id: 0, attempt: 0, tag: 0, time: time)
    for listener in state.withLock(\.listeners) { listener.hear(event) }
  }

  /// Removes an entry; must be called exactly once for each entry.
  ///
  /// A second call could remove a new entry at the same index.
  func remove(_ entry: Entry) {
    var ended: [EndWaiters.Continuation] = []
    // The dispatch is released after the lock, because the release may run code of the app.
    _ = state.withLock { state -> Facts? in
      let index = Int(entry.index)
      state.freeIndices.append(index)
      if !state.waiters.isEmpty { ended = state.waiters.end(index) }
      return state.entries[index].take()
    }
    for waiter in ended { waiter.resume() }
  }

  @inline(__always)
  func attach(_ source: any LiveSource, to entry: Entry) {
    var other: (any LiveSource)? = source
    state.withLock { $0.entries[Int(entry.index)]?.exchange(&other) }
  }

  /// If `attempts` is `nil`, the attempts noted before stay.
  @inline(never)
  func note(_ progress: LiveDispatch.State, after attempts: [AttemptReport]? = nil, of entry: Entry) {
    _ = state.withLock { state -> Progress? in
      let index = Int(entry.index)
      let before = state.entries[index]?.progress
      state.entries[index]?.progress = Progress(progress, after: attempts ?? before?.attempts ?? [])
      return before
    }
  }

  var waiterCount: Int { state.withLock { $0.waiters.count } }

  var count: Int { state.withLock { $0.entries.count - $0.freeIndices.count } }

  var signals: [CancellationSignal] { state.withLock { $0.entries.compactMap { $0?.signal } } }

  var dispatches: [LiveDispatch] {
    let facts = state.withLock { $0.entries.compactMap(\.self) }
    return facts.compactMap { facts in facts.source?.live(facts) }.sorted { $0.id < $1.id }
  }
}

/// The waits for the end of entries, guarded by the lock of ``InFlight``.
private struct EndWaiters {
  typealias Continuation = CheckedContinuation<Void, Never>

  private var waiters: [UInt64: (remaining: Set<Int>, continuation: Continuation)] = [:]
  private var last: UInt64 = 0

  var isEmpty: Bool { waiters.isEmpty }

  var count: Int { waiters.count }

  mutating func add(_ continuation: Continuation, until indices: [Int]) -> UInt64 {
    last += 1
    waiters[last] = (Set(indices), continuation)
    return last
  }

  mutating func remove(_ id: UInt64) -> Continuation? { waiters.removeValue(forKey: id)?.continuation }

  mutating func end(_ index: Int) -> [Continuation] {
    var ended: [Continuation] = []
    for id in waiters.keys.sorted() {
      waiters[id]?.remaining.remove(index)
      if waiters[id]?.remaining.isEmpty == true, let continuation = remove(id) { ended.append(continuation) }
    }
    return ended
  }
}

extension InFlight.Entry {
  var overrideNumber: UInt64 { override?.number ?? 0 }

  var scope: (any TransportScope)? { override?.scope }

  @inline(__always)
  var hasScope: Bool { override?.scope != nil }

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
