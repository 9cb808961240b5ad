import ErrandJSON
import Foundation

extension RequestAgent {
  /// Returns the events of a server (HTML standard, section 9.2).
  ///
  /// ```swift
  /// for try await event in agent.serverSentEvents(of: .get("prices")) { print(event.event, event.data) }
  /// ```
  ///
  /// A request with a safe method is sent again after the end of a response, or after a network failure.
  /// Errand first waits 3 seconds, or the server's `retry` time (0.1 seconds to 1 hour). Repeated failures
  /// may lengthen the wait. Status 204 ends the loop. See <doc:Streams>.
  ///
  /// The loop usually throws ``RequestError``, or `CancellationError` in a cancelled task.
  ///
  /// - Parameters:
  ///   - request: The request for the stream.
  ///   - lastEventID: The id of the last event of an earlier loop; `nil` by default.
  ///   - idleTimeout: The longest time without bytes; `nil`: no limit after the response head.
  ///   - maxFailures: The largest tolerated number of failed connections in a row; `nil`: no limit.
  ///   - limit: The largest number of bytes in a line, and in an event's data; 4 MiB by default.
  public func serverSentEvents<R: Request>(
    of request: R, after lastEventID: String? = nil, idleTimeout: Duration? = nil, maxFailures: Int? = nil,
    limit: Int = 4_194_304
  ) -> Streamed<ServerSentEvent> {
    Streamed {
      EventConnections(
        self, request: request, after: lastEventID ?? "", idleTimeout: idleTimeout,
        maxFailures: maxFailures ?? .max, limit: limit)
    }
  }
}

extension Streamed<ServerSentEvent> {
  /// Returns the values decoded from the JSON data of the events.
  ///
  /// ```swift
  /// let events = agent.serverSentEvents(of: .post("chat", body: .json(question)))
  /// for try await delta in events.decoded(as: Delta.self, until: "[DONE]") {
  ///   print(delta.text, terminator: "")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - end: The data of an event that ends the loop; `nil`: no such event.
  public func decoded<Value: Decodable & Sendable>(
    as type: Value.Type, until end: String? = nil
  ) -> Streamed<Value> {
    Streamed<Value> { DecodedEvents(source(), until: end) }
  }
}

extension StreamedResponse {
  /// The body as events, with a limit of 4 MiB; see ``serverSentEvents(limit:)``.
  public var serverSentEvents: Streamed<ServerSentEvent> { serverSentEvents(limit: 4_194_304) }

  /// Returns the body as events, for any content type, without reconnecting.
  ///
  /// For a stream with long silence, raise the ``Request/timeout``.
  ///
  /// - Parameter limit: The maximum number of bytes in a line, and in the data of an event. More bytes cause
  ///   an error of kind ``RequestError/Kind/limitExceeded``.
  public func serverSentEvents(limit: Int) -> Streamed<ServerSentEvent> {
    Streamed { BodyEvents(self, limit: limit) }
  }
}

private final class EventConnections<R: Request>: ElementSource {
  private static var shortestWait: Duration { .milliseconds(100) }
  private static var longestBackoff: Duration { .seconds(60) }

  private let agent: RequestAgent
  private let request: R
  private let idleTimeout: Duration?
  private let maxFailures: Int
  private let limit: Int
  /// ``RequestAgent/cancelAll()`` cancels the entry.
  private var entry: InFlight.Entry?
  /// `nil`: not connected.
  private var events: BodyEvents?
  private var lastEventID: String
  private var reconnectionTime = Duration.seconds(3)
  /// The number of connections in a row without an accepted response head.
  private var failures = 0

  init(
    _ agent: RequestAgent, request: R, after lastEventID: String, idleTimeout: Duration?, maxFailures: Int,
    limit: Int
  ) {
    (self.agent, self.request, self.lastEventID) = (agent, request, lastEventID)
    (self.idleTimeout, self.maxFailures, self.limit) = (idleTimeout, maxFailures, limit)
  }

  deinit { entry.map(agent.groups.remove) }

  func next() async throws -> ServerSentEvent? {
    let entry = self.entry ?? agent.groups.enter()
    self.entry = entry
    while true {
      do {
        if events == nil { events = try await connect(under: entry) }
        guard let open = events else { return nil }
        failures = 0
        if let event = try await open.next() { return event }
        recordState(of: open)
        guard isRepeated else { return nil }
      } catch let error as RequestError where isRepeated && Self.isNetworkFailure(error) {
        if let open = events { recordState(of: open) } else { failures += 1 }
        guard failures <= maxFailures else { throw error }
      }
      events = nil
      try await entry.sleep(waitingTime, of: agent)
    }
  }

  private func recordState(of ended: BodyEvents) {
    lastEventID = ended.parser.lastEventID
    reconnectionTime = ended.parser.reconnectionTime ?? reconnectionTime
  }

  private var isRepeated: Bool { (request.customRequest?.method ?? request.method).isSafe }

  private static func isNetworkFailure(_ error: RequestError) -> Bool {
    // A failed request for credentials may be a network failure.
    if error.kind == .authentication, let cause = error.cause as? RequestError {
      return isNetworkFailure(cause)
    }
    return error.isConnectionFailure
      || [.corruptBody, .transport, .circuitOpen, .queueFull].contains(error.kind)
  }

  // MARK: Connecting

  /// Returns `nil` for status 204, which ends the loop.
  private func connect(under entry: InFlight.Entry) async throws -> BodyEvents? {
    let limits = request.limits ?? agent.configuration.limits
    let timeout = agent.configuration.timeout(of: request)
    let headTimeout = min(limits.attemptTimeout ?? timeout, timeout)
    let dispatch = Dispatch.begin(
      unlimitedRequest(limits), by: agent, under: entry, headTimeout: headTimeout)
    do {
      let response = try await withTaskCancellationHandler {
        try await dispatch.open()
      } onCancel: {
        dispatch.time.cancellation.cancel(by: .task)
      }
      if response.head.status != 204 { return BodyEvents(response, after: lastEventID, limit: limit) }
      // Reads to the end, because an abandoned body would end the dispatch as cancelled.
      for try await _ in response.body {}
      return nil
    } catch let error as RequestError where error.kind == .status && error.status == 204 {
      // A validator of the request may refuse status 204.
      return nil
    }
  }

  /// Returns the request without the agent's deadline, and without limits on size, throughput and attempt
  /// time.
  private func unlimitedRequest(_ limits: TransferLimits) -> OverriddenRequest<R> {
    var limits = limits
    (limits.bodySize, limits.decodedSize) = (nil, nil)
    (limits.minimumThroughput, limits.attemptTimeout) = (nil, nil)
    let endless = request.with(\.limits, limits).with(\.timeout, idleTimeout ?? AgentClock.longestSleep)
      .with(\.deadline, request.deadline).with(\.validators, request.validators + [EventStreamValidator()])
    guard var custom = request.customRequest else {
      return endless.with(\.headers, headers(over: request.headers))
    }
    custom.headers = custom.headers.merging(headers(over: custom.headers))
    return endless.with(\.customRequest, custom)
  }

  private func headers(over own: HTTPHeaders) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
    where !own.contains(name) {
      headers[name] = value
    }
    if !lastEventID.isEmpty { headers["Last-Event-ID"] = lastEventID }
    return headers
  }

  // MARK: Waiting

  private var waitingTime: Duration {
    let first = max(reconnectionTime, Self.shortestWait)
    guard failures > 1 else { return first }
    let backoff = RetryPolicy.Backoff.exponential(first: first...first, cap: max(first, Self.longestBackoff))
    let wait = backoff.wait(retry: failures, jitter: 0, elapsed: .zero) ?? first
    return wait * (1 + min(max(agent.configuration.jitter(), 0), 1) / 2)
  }
}

private final class DecodedEvents<Value: Decodable & Sendable>: ElementSource {
  private let events: any ElementSource<ServerSentEvent>
  private let end: String?

  init(_ events: any ElementSource<ServerSentEvent>, until end: String?) {
    (self.events, self.end) = (events, end)
  }

  func next() async throws -> Value? {
    guard let event = try await events.next(), event.data != end else { return nil }
    return try event.decode(Value.self)
  }
}

private struct EventStreamValidator: ResponseValidator {
  func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
    guard head.status != 204 else { return .accepted }
    guard head.status == 200 else {
      return .refusedWithBody(Refusal("status \(head.status) is not 200 OK", kind: .status))
    }
    let type = MediaType(of: head.headers)
    if type?.description == "text/event-stream" { return .accepted }
    let reason =
      type.map { "content type \($0) is not text/event-stream" }
      ?? "the response has no content type, text/event-stream was expected"
    return .refusedWithBody(Refusal(reason, kind: .contentType))
  }
}
