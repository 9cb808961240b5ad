import Foundation

/// One dispatch: a request on its way through an agent.
///
/// Immutable; what changes is in its ``Ledger``. Its steps are inlined into the line that ``RequestAgent/run(_:_:completion:)``
/// is: a call of an asynchronous function costs more than most of them do.
final class Dispatch<R: Request>: Sendable {
  let request: R
  let agent: RequestAgent
  let context: RequestContext
  let entry: InFlight.Entry
  let accessories: [any Accessory]
  /// Answers in place of the agent's transport; `nil` for that.
  let substitute: (any Transport)?
  let limits: TransferLimits
  /// `nil` for none.
  let authenticator: (any Authenticator)?
  let coalescing: CoalescingPolicy
  let priority: RequestPriority
  /// Counts from ``started``.
  let deadline: Duration?
  /// `nil` where the request asks for no key.
  let idempotency: KeptIdempotencyKey?
  /// `nil` when nobody can suspend the dispatch.
  let suspension: SuspensionSignal?
  /// On the agent's clock.
  let started: Duration

  /// Reads the request, so it must not run on the main actor.
  init(_ request: R, agent: RequestAgent, entry: InFlight.Entry, suspension: SuspensionSignal? = nil) {
    self.request = request
    self.agent = agent
    self.entry = entry
    substitute = entry.substitute(for: agent.transport)
    context = RequestContext(
      dispatched: .init(id: entry.id, request: request, tools: agent.tools), attempt: 0)
    let own = request.accessories
    let accessories = own.isEmpty ? agent.accessories : agent.accessories + own
    self.accessories =
      entry.listeners.isEmpty
      ? accessories
      : accessories + [DispatchEvents(entry.listeners, clock: agent.configuration.clock)]
    limits = request.limits ?? agent.configuration.limits
    authenticator = request.authentication.authenticator(or: agent.configuration.authenticator)
    coalescing = request.coalescing
    priority = request.priority
    deadline = request.deadline?.clamped(to: AgentClock.longestSleep)
    let key = request.idempotencyKey
    // An initializer that fails would make the object before it does.
    idempotency =
      key.isAsked ? KeptIdempotencyKey(key, make: agent.configuration.makeIdempotencyKey) : nil
    self.suspension = suspension
    started = agent.configuration.clock.now()
    UnusedProperties.tell(of: request, in: entry)
  }

  var cancellation: CancellationSignal { entry.signal }

  var now: Duration { agent.configuration.clock.now() }

  func context(attempt: Int) -> RequestContext {
    var context = context
    context.attempt = attempt
    return context
  }

  /// Whether the dispatch was cancelled.
  var isCancelled: Bool { cancellation.isCancelled }

  /// Looks at the flag of the task too, which is set before its handlers are called: a hook that polls it may know, and
  /// throw, before the signal does.
  func noticeTask() {
    if Task.isCancelled { cancellation.cancel(by: .task) }
  }

  /// Ends the attempt when the dispatch was cancelled; see ``check(_:)``.
  func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  /// The account so far; made only for those who read it.
  func report<Value>(_ outcome: Outcome<Value>, _ ledger: Ledger) -> ExchangeReport {
    ExchangeReport(
      id: context.id, started: agent.configuration.clock.epoch.addingTimeInterval(started / .seconds(1)),
      elapsed: ledger.elapsed ?? now - started, turnWait: ledger.turnWait, attempts: ledger.attempts,
      outcome: outcome.map { _ in }, lastStage: ledger.stage,
      link: RedactionSource(dispatched: context.dispatched))
  }

  /// The outcome as a completion handler gets it.
  @inline(never)
  func reported(_ outcome: Outcome<R.Response>, _ ledger: Ledger) -> Outcome<R.Response> {
    guard case .failure = outcome else { return outcome }
    return outcome.reported(in: report(outcome, ledger))
  }

  func ended(_ outcome: Outcome<R.Response>, _ ledger: Ledger) -> Ended<R.Response> {
    Ended(
      outcome: outcome, report: report(outcome, ledger), response: ledger.response,
      source: cancellation.source, dispatched: context.dispatched)
  }
}
