import Foundation

/// One dispatch: a request on its way through an agent.
///
/// Immutable; what changes is in its ``DispatchState``, and in each ``Attempt``. What it goes through is
/// ``run(_:completion:)``.
final class Dispatch<R: Request>: Sendable {
  let request: R
  let agent: RequestAgent
  let context: RequestContext
  let entry: InFlight.Entry
  let accessories: [any Accessory]
  let wire: Wire
  let time: TimeLimits
  /// What counts its bytes; `nil` where nobody wants to know.
  let meter: TransferMeter?
  /// `nil` for none.
  let authenticator: (any Authenticator)?
  /// `nil` for none.
  let cookies: CookieStore?
  /// `nil` where the request asks for no key.
  let idempotency: KeptIdempotencyKey?

  /// Reads the request, so it must not run on the main actor.
  ///
  /// - Parameter headTimeout: how long an attempt may take until its head is accepted, in place of the limit on all of it.
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
    let events =
      entry.listeners.isEmpty ? nil : DispatchEvents(entry.listeners, clock: agent.configuration.clock)
    accessories = Self.accessories(of: request, by: agent, events: events)
    self.meter =
      meter ?? (accessories.isEmpty ? nil : TransferMeter(agent.configuration.clock))
    let limits = request.limits ?? agent.configuration.limits
    let substitute = entry.substitute(for: agent.transport)
    // What an answer sets belongs to one store.
    cookies = request.cookies.store(or: agent.configuration.cookies)
    wire = Wire(
      transport: substitute ?? agent.transport, substitute: substitute, shared: agent.sharedTransfers,
      limits: limits, coalescing: cookies === agent.configuration.cookies ? request.coalescing : .none,
      priority: request.priority, timeout: agent.configuration.timeout(of: request),
      networkAccess: request.networkAccess,
      refusesPrivateAddresses: agent.configuration.destinations.refusesPrivateAddresses, meter: self.meter,
      events: events,
      allowsMocks: agent.configuration.allowsMocks,
      cache: Self.needsAccess(request, of: agent)
        ? Self.access(for: request, agent, over: substitute ?? agent.transport) : nil)
    time = TimeLimits(
      clock: agent.configuration.clock, started: agent.configuration.clock.now(),
      deadline: agent.configuration.deadline(of: request)?.clamped(to: AgentClock.longestSleep),
      attemptTimeout: (headTimeout ?? limits.attemptTimeout)?.clamped(to: AgentClock.longestSleep),
      cancellation: entry.signal, suspension: suspension, endsWithHead: headTimeout != nil)
    authenticator = request.authentication.authenticator(or: agent.configuration.authenticator)
    idempotency = .kept(request.idempotencyKey, make: agent.configuration.makeIdempotencyKey)
    UnusedProperties.tell(of: request, in: entry)
    agent.inFlight.attach(self, to: entry)
  }

  /// Enters a request among the dispatches in flight, and makes its dispatch.
  ///
  /// Reads the request, so it must not run on the main actor.
  ///
  /// - Parameters:
  ///   - signal: the signal of what sends the request as one of several: if the signal has fired, the dispatch begins cancelled by the agent.
  ///   - headTimeout: how long an attempt may take until its head is accepted, in place of the limit on all of it.
  @inline(__always)
  static func begin(
    _ request: R, by agent: RequestAgent, under signal: CancellationSignal? = nil,
    headTimeout: Duration? = nil, meter: TransferMeter? = nil
  ) -> Dispatch {
    let entry = agent.inFlight.enterDispatch(under: signal)
    return Dispatch(request, agent: agent, entry: entry, headTimeout: headTimeout, meter: meter)
  }

  /// The accessories of the agent, then those of the request, then what tells the listeners of the dispatch.
  @inline(__always)
  private static func accessories(
    of request: R, by agent: RequestAgent, events: DispatchEvents?
  ) -> [any Accessory] {
    let own = request.accessories
    let accessories = own.isEmpty ? agent.accessories : agent.accessories + own
    return events.map { accessories + [$0] } ?? accessories
  }

  /// Whether a cache may answer, or nothing else.
  @inline(__always)
  private static func needsAccess(_ request: R, of agent: RequestAgent) -> Bool {
    // A comparison with `nil` would copy the cache.
    if case .some = agent.configuration.cache { return true }
    let own = request.cachePolicy
    return own.sendsNothing || own.isInherited && agent.configuration.cachePolicy.sendsNothing
  }

  /// How it uses the cache; an empty one where it may use nothing else.
  @inline(never)
  private static func access(
    for request: R, _ agent: RequestAgent, over transport: any Transport
  ) -> CacheAccess {
    let (own, configuration) = (request.cachePolicy, agent.configuration)
    return CacheAccess(
      configuration.cache ?? MemoryCache(capacity: 0), policy: own.completed(by: configuration.cachePolicy),
      clock: configuration.clock, refreshes: agent.cacheRefreshes, redaction: configuration.redaction,
      limits: request.limits ?? configuration.limits, transport: transport)
  }

  func cancel(by source: CancellationSignal.Source) { time.cancellation.cancel(by: source) }

  @inline(__always)
  func context(attempt: Int) -> RequestContext {
    var context = context
    context.attempt = attempt
    return context
  }

  /// What makes its attempts.
  var runner: AttemptRunner<R> {
    @inline(__always) get { AttemptRunner(dispatch: self) }
  }

  /// The file that the value of the request is; `nil` for a request that is no download.
  ///
  /// The types are compared first, because a cast of a serializer that may be any type takes longer.
  var file: FileResponse? {
    @inline(__always) get {
      R.Response.self == DownloadedFile.self
        ? (request.responseSerializer as? StandardSerializer<DownloadedFile>)?.settings(as: FileResponse.self)
        : nil
    }
  }

  /// Asked for by redirects only.
  var redirectRules: RedirectRules {
    RedirectRules(
      limit: request.redirectPolicy.limit ?? agent.configuration.redirectPolicy.limit
        ?? RedirectPolicy.standardLimit,
      redaction: self.context.dispatched.confidential)
  }

  /// Asked for by failures only.
  var judge: RetryJudge {
    let own = request.retryPolicy
    return RetryJudge(
      policy: own.isInherited ? agent.configuration.retryPolicy : own, origins: agent.origins, time: time,
      drawJitter: agent.configuration.jitter)
  }

  /// The account so far; made only for those who read it.
  func report<Value>(_ outcome: Outcome<Value>, on state: DispatchState) -> ExchangeReport {
    ExchangeReport(
      id: context.id, started: time.clock.epoch.addingTimeInterval(time.started / .seconds(1)),
      elapsed: state.elapsed ?? time.now - time.started, turnWait: state.turnWait,
      attempts: state.attempts, outcome: outcome.map { _ in }, lastStage: state.stage,
      link: RedactionSource(dispatched: context.dispatched))
  }

  /// What the caller of `send` catches, of an outcome without a value.
  @inline(never)
  func thrown<Value>(_ outcome: Outcome<Value>, on state: DispatchState) -> any Error {
    let ended = ended(outcome.map { _ in }, on: state)
    return ended.outcome.error?.reported(in: ended.report) ?? ended.cancellation
  }

  func ended<Value>(_ outcome: Outcome<Value>, on state: DispatchState) -> EndedDispatch<Value> {
    EndedDispatch(
      outcome: outcome, report: report(outcome, on: state), response: state.response,
      source: entry.signal.source, dispatched: context.dispatched)
  }
}
