public import Foundation

/// Dispatches requests: the front door of Errand.
///
/// Everything is fixed when it is made, the transport, the hooks, the accessories and their order, but for
/// ``maxRequestsPerOrigin``. An agent may be used from any thread and isolation; any number of dispatches are under way at
/// once, each with a state of its own. What a dispatch goes through is stated in ``Stage``.
public final class RequestAgent: Sendable {
  let base: String?
  /// The base made ready; `nil` when each request has to judge it.
  let stem: URLStem?
  let stems = URLStems()
  let transport: any Transport
  let hooks: [any RequestHooks]
  let accessories: [any Accessory]
  let configuration: Configuration
  let tools: RequestContext.Tools
  let inFlight = InFlight()
  let sharedTransfers = SharedTransfers()
  /// The groups that run; the dispatches of their members are in ``inFlight``.
  let groups = InFlight()
  let origins: OriginStates
  let slots: OriginSlots
  /// `nil` where the `User-Agent` is known from the start.
  let madeUserAgent: MadeUserAgent?
  /// One slot, of the serial requests.
  let turns = OriginSlots(limit: 1)
  let trustedOrigins: TrustedOrigins

  /// Makes an agent.
  ///
  /// - Parameters:
  ///   - baseURL: the base of requests without one; `nil` when every request has its own.
  ///   - transport: the wire; `nil` takes the platform's: `CurlTransport` on Linux. Elsewhere there is none yet, and
  ///     each request fails with ``RequestError/Kind/unsupported``.
  ///   - hooks: run in this order, after the request's own.
  ///   - accessories: run in this order, before the request's own.
  ///   - configuration: the rest.
  public convenience init(
    baseURL: URL? = nil, transport: (any Transport)? = nil, hooks: [any RequestHooks] = [],
    accessories: [any Accessory] = [], configuration: Configuration = Configuration()
  ) {
    self.init(
      base: baseURL?.absoluteString, transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  /// Makes an agent of a base written as text.
  ///
  /// A bad one is never a trap: each request that needs it fails with ``RequestError/Kind/invalidURL``.
  public convenience init(
    baseURL: String, transport: (any Transport)? = nil, hooks: [any RequestHooks] = [],
    accessories: [any Accessory] = [], configuration: Configuration = Configuration()
  ) {
    self.init(
      base: baseURL, transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  private init(
    base: String?, transport: (any Transport)?, hooks: [any RequestHooks],
    accessories: [any Accessory], configuration: Configuration
  ) {
    self.base = base
    stem = base.flatMap(URLStem.init)
    self.transport = transport ?? DefaultTransport.make()
    self.hooks = hooks
    self.accessories = accessories
    var configuration = configuration
    if let authenticator = configuration.authenticator, !configuration.redaction.hidesNothing {
      configuration.redaction = authenticator.hidingSecrets(in: configuration.redaction)
    }
    self.configuration = configuration
    tools = RequestContext.Tools(
      jsonCoding: configuration.jsonCoding, redaction: configuration.redaction,
      secretive: hooks as [Any] + [configuration.parameters])
    origins = OriginStates(
      OriginRules(
        budget: configuration.retryBudget, breaker: configuration.circuitBreaker,
        limit: configuration.rateLimit),
      clock: configuration.clock, agentRetries: !configuration.retryPolicy.isOff)
    slots = OriginSlots(limit: configuration.maxRequestsPerOrigin)
    trustedOrigins = TrustedOrigins(
      bases: [base, configuration.cdnURL?.absoluteString].compactMap(\.self)
        + configuration.trustedOrigins.map(\.absoluteString))
    madeUserAgent = configuration.makeUserAgent.map(MadeUserAgent.init)
    inFlight.rememberScope()
  }

  /// Dispatches a request and returns its value.
  ///
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
  @discardableResult
  public func send<R: Request>(_ request: R) async throws -> R.Response {
    let dispatch = Dispatch(request, agent: self, entry: inFlight.enter())
    var ledger = Ledger()
    let outcome = await outcome(of: dispatch, &ledger)
    if case .success(let value) = outcome { return value }
    return try dispatch.ended(outcome, ledger).received().value
  }

  /// Dispatches a request and returns its value, the response, and the account of the dispatch.
  ///
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
  public func response<R: Request>(for request: R) async throws -> Received<R.Response> {
    let dispatch = Dispatch(request, agent: self, entry: inFlight.enter())
    var ledger = Ledger()
    let outcome = await outcome(of: dispatch, &ledger)
    return try dispatch.ended(outcome, ledger).received()
  }

  /// Runs a dispatch that ends with the calling task.
  @inline(__always)
  func outcome<R: Request>(
    of dispatch: Dispatch<R>, _ ledger: inout Ledger
  ) async -> Outcome<R.Response> {
    await withTaskCancellationHandler {
      await run(dispatch, &ledger, completion: nil)
    } onCancel: {
      dispatch.cancellation.cancel(by: .task)
    }
  }

  /// The lifecycle; ``Stage`` states it, and a test holds both against each other.
  func run<R: Request>(
    _ dispatch: Dispatch<R>, _ ledger: inout Ledger,
    completion: (@Sendable (Outcome<R.Response>) async -> Void)?
  ) async -> Outcome<R.Response> {
    defer { inFlight.remove(dispatch.entry) }

    await dispatch.tellWillStart()
    var outcome = await dispatch.attempts(&ledger)
    dispatch.passTurn(ledger)
    let context = dispatch.context(attempt: ledger.attempt)
    await dispatch.preprocess(outcome, context)
    await dispatch.tellWillStop(context)
    outcome = await dispatch.filter(outcome, context)
    await dispatch.completed(outcome, context)
    if let completion { await completion(dispatch.reported(outcome, ledger)) }
    ledger.elapsed = dispatch.now - dispatch.started
    await dispatch.tellDidStop(dispatch.report(outcome, ledger), context)
    return outcome
  }
}

extension RequestAgent {
  /// How many attempts may run at once for one origin; 0 for any number.
  ///
  /// It begins as ``Configuration/maxRequestsPerOrigin`` says, and may be changed at any time, from any thread. Raised, it
  /// starts as many of those that wait as may run now; lowered, it ends nothing, and lets fewer start.
  public var maxRequestsPerOrigin: Int {
    get { slots.limit }
    set { slots.limit = newValue }
  }

  /// The number of attempts that have a slot: from before they are sent until the last byte of their body has come or is not
  /// wanted any more, a stream's until its head is accepted.
  public var runningCount: Int { slots.load.running }

  /// The number of dispatches that wait: for a slot of their origin, or for their turn among the serial ones.
  public var waitingCount: Int { slots.load.waiting + turns.load.waiting }

  /// Closes the idle connections of the transport, and sends what comes from now on over new ones; what runs ends over its
  /// own.
  ///
  /// For a network that changed, or a user who logged out. It does nothing with a transport that has no connections, or
  /// does not implement ``Transport/resetConnections()``.
  public func resetConnections() { transport.resetConnections() }
}

extension RequestAgent {
  /// What happens from now on, for one more listener; of what it has not read, the newest 1,000 events are kept.
  public var events: AgentEvents { events(keeping: 1_000) }

  /// What happens from now on, for one more listener.
  ///
  /// An agent that nobody listens to spends nothing on events.
  ///
  /// - Parameter limit: how many events are kept that were not read, the newest; at least 1.
  public func events(keeping limit: Int) -> AgentEvents {
    let listener = EventListener(limit: Swift.max(limit, 1))
    inFlight.add(listener)
    return AgentEvents(listener) { [weak inFlight] in inFlight?.remove(listener) }
  }
}

extension RequestAgent: CustomStringConvertible, CustomReflectable {
  /// The base; secrets hidden by the agent's ``Redaction``.
  public var description: String {
    "RequestAgent(\(base.map { tools.redaction.url(text: $0) } ?? "no base URL"))".printed
  }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
