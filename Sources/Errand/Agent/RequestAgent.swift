import ErrandJSON
public import Dispatch
public import Foundation

/// The entry point of Errand: sends requests and returns their values.
///
/// Transport, hooks, accessories and their order are fixed at creation; only ``maxRequestsPerOrigin`` can
/// change. An agent may be used from any thread and any isolation. Any number of dispatches may be in flight,
/// each with separate state. ``Stage`` lists the stages of a dispatch.
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
  /// The running groups; the dispatches of their members are in ``inFlight``.
  let groups = InFlight()
  let origins: OriginGuard
  let slots: OriginSlots
  /// The asynchronous `User-Agent`; `nil`: the `User-Agent` is known at creation.
  let deferredUserAgent: DeferredUserAgent?
  /// The single slot of all serial requests.
  let turns = OriginSlots(limit: 1)

  /// Creates an agent.
  ///
  /// - Parameters:
  ///   - baseURL: the base URL of requests without a base URL; `nil` if every request has a base URL.
  ///   - transport: the transport; `nil`: `CurlTransport` on Linux, ``URLSessionTransport`` on Apple
  ///     platforms.
  ///   - hooks: the hooks of all requests, run in order after the request's own hooks.
  ///   - accessories: the accessories of all requests, run in order before the request's own accessories.
  ///   - configuration: all further settings.
  public convenience init(
    baseURL: URL? = nil, transport: (any Transport)? = nil, hooks: [any RequestHooks] = [],
    accessories: [any Accessory] = [], configuration: AgentConfiguration = AgentConfiguration()
  ) {
    self.init(
      base: baseURL?.absoluteString, transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  /// Creates an agent with a base URL as text.
  ///
  /// An invalid text never traps: each request that needs the base fails with
  /// ``RequestError/Kind/invalidURL``.
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
    let configuration = configuration.hidingSecretsOfAuthenticator()
    self.configuration = configuration
    tools = RequestContext.Tools(
      jsonCoding: configuration.jsonCoding, redaction: configuration.redaction, clock: configuration.clock,
      hooks: hooks, secretive: [configuration.parameters])
    origins = configuration.makeOriginGuard()
    slots = OriginSlots(limit: configuration.maxRequestsPerOrigin)
    deferredUserAgent = configuration.makeUserAgent.map(DeferredUserAgent.init)
    building = configuration.makeBuildingSettings(
      base: base, transport: self.transport, deferredUserAgent: deferredUserAgent)
    inFlight.rememberScope()
  }

  /// Sends a request and returns its value.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the calling task is cancelled.
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

  /// Sends a request and returns its value together with the response and the report.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the calling task is cancelled.
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

  /// Starts a request and returns at once; the completion handler runs on the main actor, exactly once.
  ///
  /// The dispatch runs in a separate task, so the handle may be released. The captures of the completion
  /// handler are released after the call. A command-line program that does not run its main queue uses
  /// ``start(_:suspended:on:completion:)``.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - suspended: true to start suspended, as after ``RequestHandle/suspend()``, until
  ///     ``RequestHandle/resume()``. Accessories are called for the start of the dispatch, but the request is
  ///     not built. ``Request/deadline`` runs. `false` by default.
  ///   - completion: the handler that receives the outcome.
  @discardableResult
  public func start<R: Request>(
    _ request: R, suspended: Bool = false,
    completion: (@MainActor @Sendable (Outcome<R.Response>) -> Void)? = nil
  ) -> RequestHandle<R.Response> {
    guard let completion else { return .begin(request, by: self, isSuspended: suspended, completion: nil) }
    return .begin(request, by: self, isSuspended: suspended) { outcome in await completion(outcome) }
  }

  /// Starts a request and returns at once; the completion handler runs on `queue`, exactly once.
  ///
  /// The dispatch ends after the handler, so a suspended queue delays the end of the dispatch. `suspended`
  /// works as in ``start(_:suspended:completion:)``.
  @discardableResult
  public func start<R: Request>(
    _ request: R, suspended: Bool = false, on queue: DispatchQueue,
    completion: @escaping @Sendable (Outcome<R.Response>) -> Void
  ) -> RequestHandle<R.Response> {
    .begin(request, by: self, isSuspended: suspended) { end in await queue.perform { completion(end) } }
  }

  /// Cancels every dispatch and every group.
  ///
  /// A dispatch ends only after its running hooks.
  public func cancelAll() {
    cacheRefreshes.cancelAll()
    // The slots are held, so that no waiting dispatch is sent in place of a cancelled dispatch.
    turns.holding {
      slots.holding {
        // Groups are cancelled first, so that no group sends a further member.
        for signal in groups.signals { signal.cancel(by: .agent) }
        for signal in inFlight.signals { signal.cancel(by: .agent) }
      }
    }
  }

  /// The number of dispatches in flight.
  public var liveCount: Int { inFlight.count }

  /// Snapshots of the dispatches in flight, sorted by number; each can be cancelled.
  public var dispatches: [LiveDispatch] { inFlight.dispatches }

  /// Sends a request and returns after its response head is accepted; the body follows in chunks on demand.
  ///
  /// ```swift
  /// let response = try await agent.stream(.get("export.csv"))
  /// for try await chunk in response.body { try file.write(contentsOf: chunk) }
  /// ```
  ///
  /// Up to the head, everything works as in ``send(_:)``: hooks, redirects, limits, and retries after a
  /// failed or rejected head. Validators judge only the head. `filterResponse` receives the head without a
  /// body, and a body added by the hook is ignored. The body is not decoded. A failure of the body is not
  /// retried, because the caller has already received bytes.
  ///
  /// Back-pressure: apart from a buffer of about a megabyte, bytes are received only as fast as the reader
  /// reads. ``Request/timeout`` pauses while the reader does not read. ``Request/deadline`` and
  /// ``TransferLimits`` apply to the body too; ``TransferLimits/bodySize`` applies only if you set a value.
  ///
  /// The dispatch is in flight until the body is read to the end, fails, or is abandoned. A `break`, the
  /// release of the response, or a cancellation abandons the body, and ends the transfer at once as
  /// cancelled. At the end, `preprocess`, `filter`, `completed` and the accessories run once: before the last
  /// `next()` returns or throws, or in a separate task if no `next()` waits.
  ///
  /// The agent's outcome hooks receive the head with trailers as the value of a success. The request's
  /// ``Request/streamed(_:context:)`` receives the same outcome, exactly once per stream. The request's other
  /// outcome hooks receive the head if ``Request/Response`` is ``HTTPResponse``, and `()` if the type is
  /// `Void`. For any other type, these hooks run only for failures and cancellations, because the body is not
  /// decoded.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the calling task is cancelled. The body throws the
  ///   same errors.
  public func stream<R: Request>(_ request: R) async throws -> StreamedResponse {
    let dispatch = Dispatch.begin(request, by: self)
    return try await withTaskCancellationHandler {
      try await dispatch.open()
    } onCancel: {
      dispatch.time.cancellation.cancel(by: .task)
    }
  }

  /// Sends a request and writes the response body to a file as the body arrives.
  ///
  /// Everything works as for a ``DownloadRequest``, regardless of the response type of the request. The
  /// agent's outcome hooks receive the file. The request's own outcome hooks run for failures and
  /// cancellations. For a success, these hooks run only if ``Request/Response`` is ``DownloadedFile`` or
  /// `Void`.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - destination: the file or the directory; see ``ResponseSerializer/file(to:resumes:checksum:)``.
  ///   - resumes: true to keep a partial file for the next download; `false` by default. See
  ///     ``DownloadRequest/resumes``.
  ///   - checksum: the checksum verified before the file is put in place; `nil`, the default: no
  ///     verification.
  ///   - progress: called on any thread with the received bytes, including the bytes of a resumed download.
  ///     ``TransferProgress/attempt`` is the number of the attempt. `nil`, the default: no calls.
  /// - Throws: ``RequestError``, of kind ``RequestError/Kind/file`` if the file cannot be written;
  ///   `CancellationError` if the calling task is cancelled.
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

  /// Replaces the transport of every dispatch that starts in an operation, for tests and previews.
  ///
  /// ```swift
  /// let users = try await RequestAgent.withTransport(transport) { try await screen.load() }
  /// ```
  ///
  /// The replacement applies to every agent, including agents created earlier. Hooks, limits and clock stay
  /// the agent's. In Swift Testing, use the trait `.mocked(…)` of `ErrandTesting`, which also detects
  /// requests outside the replacement.
  ///
  /// The replacement covers the task of the operation, its child tasks, and a `Task` created inside, even
  /// after the operation ends. `Task.detached` and callbacks on queues and threads are not covered, because
  /// the replacement is a task local. A dispatch keeps its transport for all attempts. Of nested calls, the
  /// innermost counts. Errors of the operation are rethrown.
  ///
  /// - Parameters:
  ///   - transport: the transport in place of the agents' own transports.
  ///   - isolation: the isolation of the operation; the caller's by default.
  ///   - operation: the operation with the replaced transport.
  public static func withTransport<Result>(
    _ transport: any Transport, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await TransportOverride.$current.withValue(
      TransportOverride(transport), operation: operation, isolation: isolation)
  }

  /// The maximum number of simultaneous attempts per origin; 0: no limit.
  ///
  /// The initial value is ``AgentConfiguration/maxRequestsPerOrigin``. The value may be changed at any time,
  /// from any thread. A higher value starts waiting attempts at once. A lower value ends no attempt, and only
  /// delays new attempts.
  public var maxRequestsPerOrigin: Int {
    get { slots.limit }
    set { slots.limit = newValue }
  }

  /// The number of attempts that hold a slot of their origin.
  ///
  /// An attempt holds a slot from before sending until the last byte of the body arrives or the transfer is
  /// cancelled. A stream holds a slot until its head is accepted.
  public var runningCount: Int { slots.load.running }

  /// The number of dispatches that wait for a slot of their origin, or for their turn as a serial request.
  public var waitingCount: Int { slots.load.waiting + turns.load.waiting }

  /// Closes the idle connections of the transport, and opens new connections for later requests.
  ///
  /// Call this method after a network change or a logout. Running transfers continue on their connections.
  /// The call has no effect if the transport does not implement ``Transport/resetConnections()``.
  public func resetConnections() { transport.resetConnections() }
}

extension DispatchQueue {
  /// Runs a closure on the queue, and returns after the closure has finished.
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
  /// The base URL, with secrets hidden by the agent's ``Redaction``.
  public var description: String {
    "RequestAgent(\(building.base.map { tools.redaction.url(text: $0) } ?? "no base URL"))".printed
  }
  /// A mirror for `dump` with redacted text only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}

extension RequestAgent {
  /// The events from now on, for a new listener, with up to 1,000 unread events.
  public var events: AgentEvents { events(keeping: 1_000) }

  /// Returns the events from now on, for a new listener.
  ///
  /// Without listeners, an agent spends no time on events.
  ///
  /// - Parameter limit: the maximum number of unread events; older events are dropped. At least 1.
  public func events(keeping limit: Int) -> AgentEvents {
    let listener = EventListener(limit: Swift.max(limit, 1))
    inFlight.add(listener)
    return AgentEvents(listener) { [weak inFlight] in inFlight?.remove(listener) }
  }
}
