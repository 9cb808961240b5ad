import ErrandJSON
public import Dispatch
public import Foundation

/// The entry point of Errand: sends requests and returns their values.
///
/// Code of any isolation may use an agent. ``Stage`` lists the stages of a dispatch.
public final class RequestAgent: Sendable {
  let building: BuildingSettings
  /// The agent's own transport; tests may replace the transport for a dispatch.
  public let transport: any Transport
  let hooks: [any RequestHooks]
  let accessories: [any Accessory]
  package let configuration: AgentConfiguration
  let tools: RequestContext.Tools
  let inFlight = InFlight()
  let sharedTransfers = SharedTransfers()
  let cacheRefreshes = CacheRefreshes()
  let groups = InFlight()
  let origins: OriginGuard
  package let slots: OriginSlots
  let deferredUserAgent: DeferredUserAgent?
  let turns = OriginSlots(limit: 1)

  /// Creates an agent.
  ///
  /// - `transport`: by default `CurlTransport` on Linux, `URLSessionTransport` on Apple platforms.
  /// - `hooks`: run in order after the request's own hooks.
  /// - `accessories`: run in order before the request's own accessories.
  public convenience init(
    baseURL: URL? = nil, transport: (any Transport)? = nil, hooks: [any RequestHooks] = [],
    accessories: [any Accessory] = [], configuration: AgentConfiguration = AgentConfiguration()
  ) {
    self.init(
      base: baseURL?.absoluteString, transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  /// Creates an agent; requests that use an invalid `baseURL` fail with ``RequestError/Kind/invalidURL``.
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
    (self.hooks, self.accessories) = (hooks, accessories)
    let configuration = configuration.forAgent()
    self.configuration = configuration
    tools = RequestContext.Tools(
      jsonCoding: configuration.jsonCoding, redaction: configuration.redaction, clock: configuration.clock,
      hooks: hooks, parameters: configuration.parameters)
    origins = configuration.makeOriginGuard { [weak inFlight, clock = configuration.clock] circuit in
      inFlight?.tell(.circuitChanged(circuit), at: clock.date)
    }
    slots = configuration.makeSlots()
    deferredUserAgent = configuration.makeUserAgent.map(DeferredUserAgent.init)
    building = configuration.makeBuildingSettings(
      base: base, transport: self.transport, deferredUserAgent: deferredUserAgent,
      isObserved: !accessories.isEmpty)
    inFlight.rememberScope()
  }

  /// Sends a request and returns its value.
  ///
  /// - Throws: ``RequestError``; `CancellationError` only after a cancellation of the calling task.
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

  /// Sends a request and returns the value, the response and the report.
  ///
  /// - Throws: the errors of ``send(_:)``.
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

  /// Starts a request; the completion handler runs on the main actor.
  ///
  /// In a program without a running main queue, use ``start(_:suspended:on:completion:)``.
  ///
  /// - `suspended`: true to start suspended until ``RequestHandle/resume()``; `false` by default.
  /// - `completion`: receives the outcome; see ``RequestHandle/dropCompletion()``.
  @discardableResult
  public func start<R: Request>(
    _ request: R, suspended: Bool = false,
    completion: (@MainActor @Sendable (Outcome<R.Response>) -> Void)? = nil
  ) -> RequestHandle<R.Response> {
    guard let completion else { return .begin(request, by: self, isSuspended: suspended, completion: nil) }
    return .begin(request, by: self, isSuspended: suspended) { outcome in await completion(outcome) }
  }

  /// Starts a request; the completion handler runs on `queue`.
  @discardableResult
  public func start<R: Request>(
    _ request: R, suspended: Bool = false, on queue: DispatchQueue,
    completion: @escaping @Sendable (Outcome<R.Response>) -> Void
  ) -> RequestHandle<R.Response> {
    .begin(request, by: self, isSuspended: suspended) { end in await queue.perform { completion(end) } }
  }

  /// Cancels the dispatches, groups, uploads, event streams and cache refreshes in flight.
  public func cancelAll() {
    cacheRefreshes.cancelAll()
    // Until the end of `holding`, no waiting dispatch gets the slot of a cancelled dispatch.
    turns.holding {
      slots.holding {
        // Groups first, so that no group sends a further request.
        for signal in groups.signals { signal.cancel(by: .agent) }
        for signal in inFlight.signals { signal.cancel(by: .agent) }
      }
    }
  }

  /// Waits for the dispatches, groups, uploads and event streams in flight at the call.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled.
  public func waitForAll() async throws {
    await AgentEnd(of: self).wait()
    try Task.checkCancellation()
  }

  /// Refuses new dispatches, waits for the work in flight, then cancels the rest.
  ///
  /// New dispatches usually fail with ``RequestError/Kind/drained``. See <doc:Concurrency>.
  ///
  /// - Parameter time: the longest wait before the cancellation.
  /// - Returns: the number of cancelled dispatches.
  @discardableResult
  public func drain(within time: Duration) async -> Int { await AgentEnd(of: self).drain(within: time) }

  /// The number of dispatches in flight.
  public var liveCount: Int { inFlight.count }

  /// Snapshots of the dispatches in flight, sorted by number.
  public var dispatches: [LiveDispatch] { inFlight.dispatches }

  /// Sends a request and returns the response head and the unread body.
  ///
  /// ```swift
  /// let response = try await agent.stream(.get("export.csv"))
  /// for try await chunk in response.body { try file.write(contentsOf: chunk) }
  /// ```
  ///
  /// A failure of the body is not retried. See <doc:Streams>.
  ///
  /// - Throws: the errors of ``send(_:)``; the body throws the same errors.
  public func stream<R: Request>(_ request: R) async throws -> StreamedResponse {
    let dispatch = Dispatch.begin(request, by: self)
    return try await withTaskCancellationHandler {
      try await dispatch.open()
    } onCancel: {
      dispatch.time.cancellation.cancel(by: .task)
    }
  }

  /// Sends a request and writes the body to a file; see <doc:UploadsAndDownloads>.
  ///
  /// - `destination`: the file or the directory; see ``ResponseSerializer/file(to:resumes:checksum:)``.
  /// - `resumes`: true to keep the bytes of a broken download for a later download; `false` by default.
  /// - `checksum`: verified before the file is put in place; `nil`, the default: no verification.
  /// - `progress`: called on any thread; `nil` by default.
  /// - Throws: the errors of ``send(_:)``.
  @discardableResult
  public func download<R: Request>(
    _ request: R, to destination: URL, resumes: Bool = false, checksum: FileChecksum? = nil,
    progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws -> DownloadedFile {
    let file = FileResponse(destination: destination, resumes: resumes, checksum: checksum)
    return try await FileDownload(request: request, file: file, agent: self).run(progress: progress)
  }

  /// Replaces the transport of dispatches that start in an operation, for tests and previews.
  ///
  /// The replacement is a task-local value, so `Task.detached` does not inherit the value.
  public static func withTransport<Result>(
    _ transport: any Transport, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await TransportOverride.$current.withValue(
      TransportOverride(transport), operation: operation, isolation: isolation)
  }

  /// The current limit on simultaneous attempts per origin and `limitKey`, unless adaptive; 0: no limit.
  public var maxRequestsPerOrigin: Int {
    get { slots.limit }
    set { slots.limit = newValue }
  }

  /// The current limit on simultaneous attempts over all origins; 0: no limit.
  public var maxRequests: Int {
    get { slots.cap }
    set { slots.cap = newValue }
  }

  /// The number of slots in use, over all origins.
  public var runningCount: Int { slots.load.running }

  /// The number of dispatches waiting for a slot or a serial turn.
  public var waitingCount: Int { slots.load.waiting + turns.load.waiting }

  /// Asks the transport to use new connections for later requests.
  public func resetConnections() { transport.resetConnections() }
}

extension DispatchQueue {
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

extension RequestAgent: PrintedByDescription {
  /// A text such as `RequestAgent(https://example.com)`, with secrets hidden.
  public var description: String {
    "RequestAgent(\(building.base.map { tools.redaction.url(text: $0) } ?? "no base URL"))".printed
  }
}

extension RequestAgent {
  /// The circuits of the agent's ``CircuitBreaker``, sorted by origin; see <doc:RetryingRequests>.
  public var circuits: [CircuitBreaker.Circuit] {
    origins.states.circuits(overrideNumber: TransportOverride.currentNumber)
  }

  /// Returns the circuit of a URL's origin; `nil` if there is no circuit breaker, or the URL has no origin.
  ///
  /// - `key`: the ``Request/limitKey`` of the requests; `nil` by default.
  public func circuit(of url: String, key: String? = nil) -> CircuitBreaker.Circuit? {
    guard let origin = URL(string: url).flatMap(Origin.init) else { return nil }
    return origins.states.circuit(
      of: OriginKey(origin: origin, name: key, overrideNumber: TransportOverride.currentNumber))
  }
}

extension RequestAgent {
  /// The events of the agent and of later dispatches; up to 1,000 unread events are kept.
  public var events: Updates<AgentEvent> { events(keeping: 1_000) }
  /// Returns the events of the agent and of later dispatches.
  ///
  /// - Parameter limit: the maximum number of unread events, at least 1; older events are dropped.
  public func events(keeping limit: Int) -> Updates<AgentEvent> {
    let listener = EventListener(limit: Swift.max(limit, 1))
    inFlight.add(listener)
    return listener.updates { [weak inFlight] in inFlight?.remove(listener) }
  }
}
