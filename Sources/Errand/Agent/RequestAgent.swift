import ErrandJSON
public import Dispatch
public import Foundation

/// Dispatches requests: the front door of Errand.
///
/// Everything is fixed when it is made, the transport, the hooks, the accessories and their order, but for
/// ``maxRequestsPerOrigin``. An agent may be used from any thread and isolation; any number of dispatches are under way at
/// once, each with a state of its own. What a dispatch goes through is stated in ``Stage``.
public final class RequestAgent: Sendable {
  let building: BuildingSettings
  let transport: any Transport
  let hooks: [any RequestHooks]
  let accessories: [any Accessory]
  package let configuration: AgentConfiguration
  let tools: RequestContext.Tools
  let inFlight = InFlight()
  let sharedTransfers = SharedTransfers()
  let cacheRefreshes = CacheRefreshes()
  /// The groups that run; the dispatches of their members are in ``inFlight``.
  let groups = InFlight()
  let origins: OriginGuard
  let slots: OriginSlots
  /// `nil` where the `User-Agent` is known from the start.
  let deferredUserAgent: DeferredUserAgent?
  /// One slot, of the serial requests.
  let turns = OriginSlots(limit: 1)

  /// Makes an agent.
  ///
  /// - Parameters:
  ///   - baseURL: the base of requests without one; `nil` when every request has its own.
  ///   - transport: the wire; `nil` takes the platform's: `CurlTransport` on Linux, ``URLSessionTransport`` on Apple
  ///     platforms.
  ///   - hooks: run in this order, after the request's own.
  ///   - accessories: run in this order, before the request's own.
  ///   - configuration: the rest.
  public convenience init(
    baseURL: URL? = nil, transport: (any Transport)? = nil, hooks: [any RequestHooks] = [],
    accessories: [any Accessory] = [], configuration: AgentConfiguration = AgentConfiguration()
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
    accessories: [any Accessory] = [], configuration: AgentConfiguration = AgentConfiguration()
  ) {
    self.init(
      base: baseURL, transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  private init(
    base: String?, transport: (any Transport)?, hooks: [any RequestHooks],
    accessories: [any Accessory], configuration: AgentConfiguration
  ) {
    self.transport = transport ?? DefaultTransport.make()
    self.hooks = hooks
    self.accessories = accessories
    var configuration = configuration
    if let authenticator = configuration.authenticator, !configuration.redaction.hidesNothing {
      configuration.redaction = authenticator.hidingSecrets(in: configuration.redaction)
    }
    self.configuration = configuration
    tools = RequestContext.Tools(
      jsonCoding: configuration.jsonCoding, redaction: configuration.redaction, clock: configuration.clock,
      hooks: hooks, secretive: [configuration.parameters])
    origins = OriginGuard(
      states: OriginStates(
        OriginRules(
          budget: configuration.retryBudget, breaker: configuration.circuitBreaker,
          limit: configuration.rateLimit),
        clock: configuration.clock, agentRetries: !configuration.retryPolicy.isOff))
    slots = OriginSlots(limit: configuration.maxRequestsPerOrigin)
    deferredUserAgent = configuration.makeUserAgent.map(DeferredUserAgent.init)
    building = BuildingSettings(
      base: base, cdnURL: configuration.cdnURL, headers: configuration.headers,
      parameters: configuration.parameters, acceptLanguage: configuration.acceptLanguage,
      userAgent: configuration.userAgent, deferredUserAgent: deferredUserAgent,
      destinations: configuration.destinations, trustedOrigins: configuration.trustedOrigins,
      transport: self.transport)
    inFlight.rememberScope()
  }

  /// Dispatches a request and returns its value.
  ///
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
  @discardableResult
  public func send<R: Request>(_ request: R) async throws -> R.Response {
    let dispatch = Dispatch.begin(request, by: self)
    var state = DispatchState()
    let outcome = await withTaskCancellationHandler {
      await dispatch.run(&state)
    } onCancel: {
      dispatch.cancel(by: .task)
    }
    if case .success(let value) = outcome { return value }
    throw dispatch.thrown(outcome, on: state)
  }

  /// Dispatches a request and returns its value, the response, and the account of the dispatch.
  ///
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled.
  public func response<R: Request>(for request: R) async throws -> Received<R.Response> {
    let dispatch = Dispatch.begin(request, by: self)
    var state = DispatchState()
    let outcome = await withTaskCancellationHandler {
      await dispatch.run(&state)
    } onCancel: {
      dispatch.cancel(by: .task)
    }
    return try dispatch.ended(outcome, on: state).received()
  }

  /// Starts a request and returns at once; the completion runs on the main actor, exactly once.
  ///
  /// The agent keeps the dispatch alive: the handle may be dropped, and what the completion captured is released
  /// after it ran. A command-line program that does not service its main queue takes
  /// ``start(_:suspended:on:completion:)``.
  ///
  /// - Parameters:
  ///   - request: what is sent.
  ///   - suspended: whether it rests from its start, as after ``RequestHandle/suspend()``, until
  ///     ``RequestHandle/resume()``: it is announced to accessories and not built, and ``Request/deadline`` runs. `false` by
  ///     default.
  ///   - completion: gets the outcome.
  @discardableResult
  public func start<R: Request>(
    _ request: R, suspended: Bool = false,
    completion: (@MainActor @Sendable (Outcome<R.Response>) -> Void)? = nil
  ) -> RequestHandle<R.Response> {
    guard let completion else { return .begin(request, by: self, isSuspended: suspended, completion: nil) }
    return .begin(request, by: self, isSuspended: suspended) { outcome in await completion(outcome) }
  }

  /// Starts a request and returns at once; the completion runs on `queue`, exactly once.
  ///
  /// The dispatch ends after it, so a queue that is suspended holds it. `suspended` is as in
  /// ``start(_:suspended:completion:)``.
  @discardableResult
  public func start<R: Request>(
    _ request: R, suspended: Bool = false, on queue: DispatchQueue,
    completion: @escaping @Sendable (Outcome<R.Response>) -> Void
  ) -> RequestHandle<R.Response> {
    .begin(request, by: self, isSuspended: suspended) { end in await queue.perform { completion(end) } }
  }

  /// Cancels every dispatch and every group that runs; each ends as cancelled, in its own time: hooks are awaited.
  public func cancelAll() {
    cacheRefreshes.cancelAll()
    // No waiting dispatch is sent in the place of one that was cancelled before it.
    turns.holding {
      slots.holding {
        // Groups first, so that none sends another member meanwhile.
        for signal in groups.signals { signal.cancel(by: .agent) }
        for signal in inFlight.signals { signal.cancel(by: .agent) }
      }
    }
  }

  /// The number of dispatches that have begun and not ended.
  public var liveCount: Int { inFlight.count }

  /// These dispatches as they are now, by their numbers: what each is, how far it is, and a way to cancel it.
  public var dispatches: [LiveDispatch] { inFlight.dispatches }

  /// Dispatches a request and returns when its head is there and accepted; the body follows, chunk by chunk, as it is read.
  ///
  /// ```swift
  /// let response = try await agent.stream(.get("export.csv"))
  /// for try await chunk in response.body { try file.write(contentsOf: chunk) }
  /// ```
  ///
  /// Everything up to the head is as with ``send(_:)``: hooks, redirects, limits, and the retry of an attempt whose head failed or was
  /// refused. Validators judge the head only, and `filterResponse` gets it without a body; a body it adds is not used. The body is not
  /// decoded, and its failure is not retried, as bytes have been seen.
  ///
  /// Nothing is received faster than it is read, but for a buffer of about a megabyte, and ``Request/timeout`` rests while the reader does.
  /// ``Request/deadline`` and ``TransferLimits`` hold for the body too, ``TransferLimits/bodySize`` among them where you set it.
  ///
  /// The dispatch is in flight until the body has been read to its end, has failed, or was given up: by a `break`, by dropping the response,
  /// or by a cancellation, all of which end the transfer at once as cancelled. Then, once, `preprocess`, `filter`, `completed` and the
  /// accessories run: before the last `next()` of the body returns or throws, or in a task of their own where no `next()` waits.
  ///
  /// The agent's hooks get the head, with its trailers, as the value of a success; so does the request's own
  /// ``Request/streamed(_:context:)``, which is told of every stream exactly once. The request's other hooks of the outcome get
  /// it where ``Request/Response`` is ``HTTPResponse``, and nothing where it is `Void`; for any other type there is no value, as
  /// nothing is decoded, and they run for failures and cancellations only.
  ///
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled. The body throws the same.
  public func stream<R: Request>(_ request: R) async throws -> StreamedResponse {
    let dispatch = Dispatch.begin(request, by: self)
    return try await withTaskCancellationHandler {
      try await dispatch.open()
    } onCancel: {
      dispatch.time.cancellation.cancel(by: .task)
    }
  }

  /// Dispatches a request and writes the body of its answer into a file, as it comes.
  ///
  /// Everything is as with a ``DownloadRequest``, whatever the request makes of its answer otherwise: of its own hooks of the outcome those
  /// for failures and cancellations run, and all of them where ``Request/Response`` is ``DownloadedFile`` or `Void`; the agent's get the file.
  ///
  /// - Parameters:
  ///   - request: what is sent.
  ///   - destination: the file, or a directory; see ``ResponseSerializer/file(to:resumes:checksum:)``.
  ///   - resumes: whether a download that breaks off is gone on with by the next one; `false` by default. See ``DownloadRequest/resumes``.
  ///   - checksum: what the file is compared with before it is put in place; `nil`, the default, for nothing.
  ///   - progress: told how much has come, on any thread, as long as the call runs; with the bytes of an earlier download that this one
  ///     resumes. ``TransferProgress/attempt`` grows where bytes are sent again. `nil`, the default, for nobody.
  /// - Throws: ``RequestError``, of kind ``RequestError/Kind/file`` where the file cannot be written; `CancellationError` when the calling
  ///   task was cancelled.
  @discardableResult
  public func download<R: Request>(
    _ request: R, to destination: URL, resumes: Bool = false, checksum: FileChecksum? = nil,
    progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws -> DownloadedFile {
    let meter = progress.map { _ in TransferMeter(clock) }
    let dispatch = Dispatch.begin(request, by: self, meter: meter)
    let telling = meter?.tell(progress)
    var state = DispatchState()
    let outcome = await withTaskCancellationHandler {
      let file = FileResponse(destination: destination, resumes: resumes, checksum: checksum)
      return await dispatch.download(to: file, on: &state)
    } onCancel: {
      dispatch.cancel(by: .task)
    }
    meter?.end()
    await telling?.value
    if case .success(let file) = outcome { return file }
    throw dispatch.thrown(outcome, on: state)
  }

  /// Lets a transport answer every dispatch that begins in an operation, whatever agent makes it: for tests and
  /// previews.
  ///
  /// ```swift
  /// let users = try await RequestAgent.withTransport(transport) { try await screen.load() }
  /// ```
  ///
  /// It replaces the wire of every agent, also of one that was made long before, and nothing else: hooks, limits and
  /// the clock stay the agent's. Swift Testing gets the same by the trait `.mocked(…)` of `ErrandTesting`, which also
  /// notices what gets past it.
  ///
  /// It covers all ways to dispatch, in the task of the operation, in its child tasks, and in a `Task` made there, also
  /// when that runs longer. It does not cover `Task.detached`, nor callbacks of queues and threads: it is a task local. A
  /// dispatch keeps the transport it began with over all its attempts. The innermost of several counts. What the
  /// operation throws is thrown on.
  ///
  /// - Parameters:
  ///   - transport: answers in place of agents' own transports.
  ///   - isolation: the operation's; that of the caller.
  ///   - operation: what is answered so.
  public static func withTransport<Result>(
    _ transport: any Transport, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await TransportOverride.$current.withValue(
      TransportOverride(transport), operation: operation, isolation: isolation)
  }

  /// How many attempts may run at once for one origin; 0 for any number.
  ///
  /// It begins as ``AgentConfiguration/maxRequestsPerOrigin`` says, and may be changed at any time, from any thread. Raised, it
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

extension DispatchQueue {
  /// Runs something on the queue, and returns when it has.
  func perform(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { ended in
      async {
        body()
        ended.resume()
      }
    }
  }
}

extension RequestAgent: RequestSender {
  var clock: AgentClock { configuration.clock }

  func signer(_ authenticator: any Authenticator) -> Signer {
    Signer(authenticator: authenticator, sender: self, trustedOrigins: building.trustedOrigins)
  }
}

extension RequestAgent: CustomStringConvertible, CustomReflectable {
  /// The base; secrets hidden by the agent's ``Redaction``.
  public var description: String {
    "RequestAgent(\(building.base.map { tools.redaction.url(text: $0) } ?? "no base URL"))".printed
  }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}

extension RequestAgent {
  /// What happens from now on, for one more listener; of what it has not read, the newest 1,000 events are kept.
  public var events: AgentEvents { events(keeping: 1_000) }

  /// What happens from now on, for one more listener.
  ///
  /// An agent without listeners spends nothing on events.
  ///
  /// - Parameter limit: how many events are kept that were not read, the newest; at least 1.
  public func events(keeping limit: Int) -> AgentEvents {
    let listener = EventListener(limit: Swift.max(limit, 1))
    inFlight.add(listener)
    return AgentEvents(listener) { [weak inFlight] in inFlight?.remove(listener) }
  }
}
