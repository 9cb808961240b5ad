import Foundation

/// The unread events of a ``RequestAgent/events`` sequence.
final class EventListener: Sendable {
  fileprivate struct State {
    var kept = FIFOQueue<AgentEvent>()
    var missed = 0
    var running = 0
    var isOver = false
    var readers: [(id: Int, continuation: CheckedContinuation<AgentEvent?, Never>)] = []
    var lastReader = 0
    /// The numbers of readers that were not in ``readers`` at their cancellation.
    var abandoned: Set<Int> = []
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  var readerCount: Int { state.withLock { $0.readers.count } }

  func hear(_ event: AgentEvent) {
    // Dropped events are released after the lock, because the release may run code of the app.
    let (told, _): ([Told], [AgentEvent]) = state.withLock { state in
      var (told, lost) = ([Told](), [AgentEvent]())
      for event in state.events(with: event) {
        state.keep(event, limit: limit, lost: &lost)
        // Delivered inside the loop, because the next event could push this event out of the queue.
        while !state.readers.isEmpty, let next = state.next() {
          told.append((state.readers.removeFirst().continuation, next))
        }
      }
      return (told, lost)
    }
    for (reader, event) in told { reader.resume(returning: event) }
  }

  private typealias Told = (reader: CheckedContinuation<AgentEvent?, Never>, event: AgentEvent)

  func end() {
    let readers = state.withLock { state in
      state.isOver = true
      defer { state.readers = [] }
      return state.readers.map(\.continuation)
    }
    for reader in readers { reader.resume(returning: nil) }
  }

  func next() async -> AgentEvent? {
    let id = state.withLock { state in
      state.lastReader += 1
      return state.lastReader
    }
    let event = await withTaskCancellationHandler {
      await withCheckedContinuation { enlist($0, id: id) }
    } onCancel: {
      abandon(id)
    }
    // Removes an `id` that `abandon` stored after the delivery of the event.
    if Task.isCancelled { _ = state.withLock { $0.abandoned.remove(id) } }
    return event
  }

  private func enlist(_ reader: CheckedContinuation<AgentEvent?, Never>, id: Int) {
    let (waits, event): (Bool, AgentEvent?) = state.withLock { state in
      if state.abandoned.remove(id) != nil { return (false, nil) }
      if let event = state.next() { return (false, event) }
      if !state.isOver { state.readers.append((id, reader)) }
      return (!state.isOver, nil)
    }
    if !waits { reader.resume(returning: event) }
  }

  private func abandon(_ id: Int) {
    let reader: CheckedContinuation<AgentEvent?, Never>? = state.withLock { state in
      guard let index = state.readers.firstIndex(where: { $0.id == id }) else {
        state.abandoned.insert(id)
        return nil
      }
      return state.readers.remove(at: index).continuation
    }
    reader?.resume(returning: nil)
  }
}

extension EventListener {
  private final class Subscription: Sendable {
    let listener: EventListener
    private let ended: @Sendable () -> Void

    init(_ listener: EventListener, ended: @escaping @Sendable () -> Void) {
      (self.listener, self.ended) = (listener, ended)
    }

    deinit { ended() }
  }

  /// - Parameter ended: called after the release of the sequence and its iterators.
  func updates(ended: @escaping @Sendable () -> Void) -> Updates<AgentEvent> {
    let subscription = Subscription(self, ended: ended)
    return Updates { { await subscription.listener.next() } }
  }
}

extension EventListener.State {
  fileprivate mutating func events(with event: AgentEvent) -> [AgentEvent] {
    var activity = event
    switch event.kind {
    case .attemptStarted:
      running += 1
      activity.kind = .activityBegan
      return running == 1 ? [activity, event] : [event]
    case .attemptStopped:
      running -= 1
      activity.kind = .activityEnded
      return running == 0 ? [event, activity] : [event]
    default: return [event]
    }
  }

  fileprivate mutating func keep(_ event: AgentEvent, limit: Int, lost: inout [AgentEvent]) {
    kept.append(event)
    guard kept.count > limit, let oldest = kept.popFirst() else { return }
    lost.append(oldest)
    missed += 1
  }

  fileprivate mutating func next() -> AgentEvent? {
    guard var event = kept.popFirst() else { return nil }
    event.missed = missed
    missed = 0
    return event
  }
}

final class DispatchEvents: Accessory {
  private struct State {
    /// The number of the attempt between the events `attemptStarted` and `attemptStopped`; otherwise `nil`.
    var sent: Int?
    /// The number of the attempt before the current retry wait; `nil` without a wait.
    var waitsAfter: Int?
  }

  private let listeners: [EventListener]
  private let clock: AgentClock
  private let state = Locked(State())

  init(_ listeners: [EventListener], clock: AgentClock) {
    self.listeners = listeners
    self.clock = clock
  }

  static func events(for entry: InFlight.Entry, clock: AgentClock) -> DispatchEvents? {
    entry.listeners.isEmpty ? nil : DispatchEvents(entry.listeners, clock: clock)
  }

  func requestWillStart(_ context: RequestContext) async { tell(.requestStarted, in: context) }

  func attemptWillStart(_ context: RequestContext) async { endWait(context) }

  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    let isFirst = state.withLock { state in
      defer { state.sent = context.attempt }
      return state.sent == nil
    }
    if isFirst { tell(.attemptStarted, in: context) }
  }

  func tell(_ response: HTTPResponse, in context: RequestContext) {
    // Reported under the lock, so that the end of the attempt cannot be reported first.
    state.withLock { state in
      if state.sent == context.attempt {
        tell(.informationalResponse(response.status, response.headers), in: context)
      }
    }
  }

  /// Reports a connection step that was reached `delay` ago; may be called on any thread.
  func tell(_ step: TransportSummary.ConnectionStep, after delay: Duration, in context: RequestContext) {
    state.withLock { state in
      if state.sent == context.attempt { tell(.connection(step), after: delay, in: context) }
    }
  }

  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let wasSent = state.withLock { state in
      defer { (state.sent, state.waitsAfter) = (nil, attempt.retry.map { _ in attempt.number }) }
      return state.sent != nil
    }
    if wasSent { tell(.attemptStopped, in: context) }
    if let retry = attempt.retry { tell(.retryWaitStarted(retry.wait), in: context) }
  }

  func requestWillStop(_ context: RequestContext) async { endWait(context) }

  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    tell(.requestStopped, in: context, report: report)
  }

  private func endWait(_ context: RequestContext) {
    let attempt = state.withLock { state in
      defer { state.waitsAfter = nil }
      return state.waitsAfter
    }
    guard let attempt else { return }
    var context = context
    context.attempt = attempt
    tell(.retryWaitStopped, in: context)
  }

  private func tell(
    _ kind: AgentEvent.Kind, after delay: Duration = .zero, in context: RequestContext,
    report: ExchangeReport? = nil
  ) {
    let time = clock.date.addingTimeInterval(-(delay / .seconds(1)))
    let event = AgentEvent(
      kind: kind, id: context.id, attempt: context.attempt, tag: context.tag, time: time, report: report)
    for listener in listeners { listener.hear(event) }
  }
}
