import Foundation

/// The processing of a request by an agent, with all attempts.
///
/// A dispatch has constants only. Most of the changing state is in ``DispatchState`` and ``Attempt``.
final class Dispatch<R: Request>: Sendable {
  let agent: RequestAgent
  let context: RequestContext
  let entry: InFlight.Entry
  let accessories: [any Accessory]
  let wire: Wire
  let time: TimeLimits
  /// The counter of transferred bytes; `nil`: there is no accessory, and the caller asks for no progress.
  let meter: TransferMeter?
  let authenticator: (any Authenticator)?
  let cookies: CookieStore?
  let idempotency: DispatchIdempotencyKey?
  // The last property, because the offset of a property after a generic property is not a constant.
  let request: R

  /// Creates a dispatch; must run off the main actor, because the initializer reads the request's properties.
  ///
  /// `headTimeout` limits the time until the head is accepted, in place of the attempt timeout.
  init(
    _ request: R, agent: RequestAgent, entry: InFlight.Entry, suspension: SuspensionSignal? = nil,
    headTimeout: Duration? = nil, meter: TransferMeter? = nil
  ) {
    self.request = request
    self.agent = agent
    self.entry = entry
    context = RequestContext(
      dispatched: .init(id: entry.id, request: request, tools: agent.tools, cancellation: entry.signal),
      attempt: 0)
    let events = DispatchEvents.events(for: entry, clock: agent.configuration.clock)
    accessories = Self.accessories(of: request, by: agent, events: events)
    self.meter = meter ?? (accessories.isEmpty ? nil : TransferMeter(agent.configuration.clock))
    let limits = request.limits ?? agent.configuration.limits
    let substitute = entry.substitute(for: agent.transport)
    // A dispatch that does not use the agent's cookie store shares no transfer. Otherwise, the cookies of a
    // shared response would go to two stores.
    cookies = request.cookies.store(inheriting: agent.configuration.cookies)
    wire = Wire(
      transport: CopyGate.transport(for: request, of: agent, in: entry, over: substitute ?? agent.transport),
      substitute: substitute, shared: agent.sharedTransfers, limits: limits,
      coalescing: cookies === agent.configuration.cookies ? request.coalescing : .none,
      priority: request.priority, timeout: agent.configuration.timeout(of: request),
      networkAccess: request.networkAccess,
      refusesPrivateAddresses: agent.configuration.destinations.refusesPrivateAddresses, meter: self.meter,
      events: events, allowsMocks: agent.configuration.allowsMocks,
      cache: CacheSetup.access(for: request, of: agent, over: substitute ?? agent.transport),
      cookies: cookies)
    let deadline = agent.configuration.deadline(of: request)
    time = TimeLimits(
      clock: agent.configuration.clock, started: agent.configuration.clock.now(),
      deadline: deadline.time?.clamped(to: AgentClock.longestSleep),
      attemptTimeout: (headTimeout ?? limits.attemptTimeout)?.clamped(to: AgentClock.longestSleep),
      cancellation: entry.signal, suspension: suspension, endsWithHead: headTimeout != nil,
      isDeadlineInherited: deadline.isInherited, passesDeadlineOn: deadline.isPassedOn)
    authenticator = request.authentication.authenticator(or: agent.configuration.authenticator)
    idempotency = .kept(request.idempotencyKey, make: agent.configuration.makeIdempotencyKey)
    UnusedProperties.tell(of: request, in: entry)
    agent.inFlight.attach(self, to: entry)
  }

  /// Registers and creates a dispatch; must run off the main actor.
  @inline(__always)
  static func begin(
    _ request: R, by agent: RequestAgent, under parent: InFlight.Entry? = nil,
    headTimeout: Duration? = nil, meter: TransferMeter? = nil
  ) -> Dispatch {
    let entry = agent.inFlight.enterDispatch(under: parent)
    return Dispatch(request, agent: agent, entry: entry, headTimeout: headTimeout, meter: meter)
  }

  @inline(__always)
  private static func accessories(
    of request: R, by agent: RequestAgent, events: DispatchEvents?
  ) -> [any Accessory] {
    let own = request.accessories
    let accessories = own.isEmpty ? agent.accessories : agent.accessories + own
    return events.map { accessories + [$0] } ?? accessories
  }

  func cancel(by source: CancellationSignal.Source) { time.cancellation.cancel(by: source) }

  @inline(__always)
  func context(attempt: Int) -> RequestContext {
    var context = context
    context.attempt = attempt
    return context
  }

  @inline(__always)
  func context(after state: borrowing DispatchState) -> RequestContext {
    var context = context(attempt: state.attempt)
    context.hasLeftOrigin = state.hasLeftOrigin
    return context
  }

  var sender: AttemptSender<R> {
    @inline(__always) get { AttemptSender(dispatch: self) }
  }

  /// The file settings of a download; `nil` for other requests.
  ///
  /// Compares types first, because the cast of a serializer is slow.
  var file: FileResponse? {
    @inline(__always) get { R.Response.self == DownloadedFile.self ? castFile() : nil }
  }

  @inline(never)
  private func castFile() -> FileResponse? {
    (request.responseSerializer as? StandardSerializer<DownloadedFile>)?.settings(as: FileResponse.self)
  }

  var redirectRules: RedirectRules {
    RedirectRules(
      limit: request.redirectPolicy.limit ?? agent.configuration.redirectPolicy.limit
        ?? RedirectPolicy.standardLimit,
      redaction: self.context.dispatched.confidential)
  }

  var judge: RetryJudge {
    RetryJudge(
      policy: request.retryPolicy.completed(by: agent.configuration.retryPolicy), origins: agent.origins,
      time: time, drawJitter: agent.configuration.jitter)
  }

  func report<Value>(_ outcome: Outcome<Value>, on state: DispatchState) -> ExchangeReport {
    ExchangeReport(
      id: context.id, started: time.clock.epoch.addingTimeInterval(time.started / .seconds(1)),
      elapsed: state.elapsed ?? time.now - time.started, turnWait: state.turnWait,
      attempts: AttemptAccount(dispatch: self).attempts(in: state), outcome: outcome.map { _ in },
      lastStage: state.stage,
      link: RedactionSource(dispatched: context.dispatched))
  }

  @inline(never)
  func thrown<Value>(_ outcome: Outcome<Value>, on state: DispatchState) -> any Error {
    let ended = ended(outcome.map { _ in }, on: state)
    return ended.outcome.error?.reported(in: ended.report) ?? ended.cancellation
  }

  func ended<Value>(_ outcome: Outcome<Value>, on state: DispatchState) -> EndedDispatch<Value> {
    EndedDispatch(
      outcome: outcome, report: report(outcome, on: state), response: state.lastResponse,
      source: entry.signal.source, dispatched: context.dispatched)
  }
}
