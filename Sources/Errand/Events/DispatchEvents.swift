import Foundation

/// Tells the listeners what happens to one dispatch: its last accessory, which it has only when somebody listens.
final class DispatchEvents: Accessory {
  private struct State {
    /// Whether the attempt has gone to the transport.
    var isSent = false
    /// The attempt whose wait lasts.
    var waitsAfter: Int?
  }

  private let listeners: [EventListener]
  private let clock: AgentClock
  private let state = Locked(State())

  init(_ listeners: [EventListener], clock: AgentClock) {
    self.listeners = listeners
    self.clock = clock
  }

  func requestWillStart(_ context: RequestContext) async { tell(.requestStarted, context) }

  func attemptWillStart(_ context: RequestContext) async { endWait(context) }

  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    let isFirst = state.withLock { state in
      defer { state.isSent = true }
      return !state.isSent
    }
    if isFirst { tell(.attemptStarted, context) }
  }

  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let wasSent = state.withLock { state in
      defer { (state.isSent, state.waitsAfter) = (false, attempt.retry.map { _ in attempt.number }) }
      return state.isSent
    }
    if wasSent { tell(.attemptStopped, context) }
    if let retry = attempt.retry { tell(.retryWaitStarted(retry.wait), context) }
  }

  func requestWillStop(_ context: RequestContext) async { endWait(context) }

  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    tell(.requestStopped, context, report)
  }

  private func endWait(_ context: RequestContext) {
    let attempt = state.withLock { state in
      defer { state.waitsAfter = nil }
      return state.waitsAfter
    }
    guard let attempt else { return }
    var context = context
    context.attempt = attempt
    tell(.retryWaitStopped, context)
  }

  private func tell(_ kind: AgentEvent.Kind, _ context: RequestContext, _ report: ExchangeReport? = nil) {
    let event = AgentEvent(
      kind: kind, id: context.id, attempt: context.attempt, tag: context.tag, time: clock.date, report: report
    )
    for listener in listeners { listener.hear(event) }
  }
}
