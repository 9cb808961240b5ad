import ErrandJSON
import Foundation

extension RequestAgent {
  /// The events that a server sends, over one connection after another, as `EventSource` has them (HTML standard, section 9.2).
  ///
  /// ```swift
  /// for try await event in agent.serverSentEvents(of: .get("prices")) { print(event.event, event.data) }
  /// ```
  ///
  /// Each connection is a dispatch of its own. When one has ended, or the network has failed, the next is made after 3 seconds, or what the
  /// server's `retry` says, and longer after several failures. Only safe methods are sent again: a `POST` is sent once. Silence is no failure:
  /// ``Request/timeout`` is the time until a head is accepted. <doc:Streams> has all the rules.
  ///
  /// The loop ends with status 204. It throws ``RequestError`` for another status than 200, another type than `text/event-stream`, and what no
  /// reconnection would better; `CancellationError` when its task was cancelled.
  ///
  /// - Parameters:
  ///   - request: what is sent each time.
  ///   - lastEventID: the id of an event to go on after, as an earlier loop has left it; `nil` by default.
  ///   - idleTimeout: how long a connection may be silent, comments included, before it counts as broken; it rests while the loop does. `nil`,
  ///     the default, for any time.
  ///   - maxFailures: how many connections may fail in a row; the next failure is thrown. `nil`, the default, for any number.
  ///   - limit: how many bytes a line, and the data of an event, may have; 4,194,304 (4 MiB) by default.
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

/// The events that a server sends, each decoded from the JSON of its data.
///
/// ```swift
/// let answer = agent.serverSentEvents(of: .post("chat", body: .json(question)), as: Delta.self, until: "[DONE]")
/// for try await delta in answer { print(delta.text, terminator: "") }
/// ```
///
/// Connections and the end of the loop are as with ``serverSentEvents(of:after:idleTimeout:maxFailures:limit:)``. Every event is decoded, of
/// whatever type it is, as ``ServerSentEvent/decode(_:by:)`` does.
///
/// `type` is what the data of an event is. `end` is the data of the event that ends the loop without being decoded; `nil`, the default, for
/// none. The other parameters are as with the function above.
extension Streamed<ServerSentEvent> {
  /// The events, each decoded from the JSON of its data.
  ///
  /// ```swift
  /// let answer = agent.serverSentEvents(of: .post("chat", body: .json(question))).decoded(as: Delta.self, until: "[DONE]")
  /// for try await delta in answer { print(delta.text, terminator: "") }
  /// ```
  ///
  /// Every event is decoded, of whatever type it is, as ``ServerSentEvent/decode(_:by:)`` does. Data that does not fit ends the loop with its
  /// error.
  ///
  /// - Parameters:
  ///   - type: the type of the data of an event.
  ///   - end: the data of the event that ends the loop without being decoded; `nil`, the default, for none.
  public func decoded<Value: Decodable & Sendable>(
    as type: Value.Type, until end: String? = nil
  ) -> Streamed<Value> {
    Streamed<Value> { DecodedEvents(source(), until: end) }
  }
}

extension StreamedResponse {
  /// The body as events, whatever type its head declares, each of up to 4,194,304 bytes (4 MiB); see ``serverSentEvents(limit:)``.
  public var serverSentEvents: Streamed<ServerSentEvent> { serverSentEvents(limit: 4_194_304) }

  /// The body as events, whatever type its head declares, and nothing after its end.
  ///
  /// An event that the end cuts off is given up, as the HTML standard says. For a stream that may be silent raise the ``Request/timeout`` of
  /// the request; ``RequestAgent/serverSentEvents(of:after:idleTimeout:maxFailures:limit:)`` sees to that itself, and connects again.
  ///
  /// - Parameter limit: how many bytes a line, and the data of an event, may have. More is an error of kind
  ///   ``RequestError/Kind/limitExceeded``.
  public func serverSentEvents(limit: Int) -> Streamed<ServerSentEvent> {
    Streamed { BodyEvents(self, limit: limit) }
  }
}

/// The events of a request, over as many connections as it takes.
private final class EventConnections<R: Request>: ElementSource {
  private static var shortestWait: Duration { .milliseconds(100) }
  private static var longestBackoff: Duration { .seconds(60) }

  private let agent: RequestAgent
  private let request: R
  private let idleTimeout: Duration?
  private let maxFailures: Int
  private let limit: Int
  /// Its signal fires by ``RequestAgent/cancelAll()``, also between two dispatches; `nil` before the first.
  private var entry: InFlight.Entry?
  /// `nil` between two connections.
  private var events: BodyEvents?
  private var lastEventID: String
  private var reconnectionTime = Duration.seconds(3)
  /// How many connections have failed since the last one that stood.
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
        if events == nil { events = try await connect(unless: entry.signal) }
        guard let open = events else { return nil }
        failures = 0
        if let event = try await open.next() { return event }
        note(open)
        guard isRepeated else { return nil }
      } catch let error as RequestError where isRepeated && Self.passes(error) {
        if let open = events { note(open) } else { failures += 1 }
        guard failures <= maxFailures else { throw error }
      }
      events = nil
      try await entry.rest(waitingTime, of: agent)
    }
  }

  /// Keeps what a connection that has ended leaves for the next one.
  private func note(_ ended: BodyEvents) {
    lastEventID = ended.parser.lastEventID
    reconnectionTime = ended.parser.reconnectionTime ?? reconnectionTime
  }

  /// Whether it may be sent again for its end or its failure.
  private var isRepeated: Bool { (request.customRequest?.method ?? request.method).isSafe }

  /// Whether a failure is one of the network, which another connection may not have.
  private static func passes(_ error: RequestError) -> Bool {
    // Credentials that could not be fetched have failed for the reason that their request has.
    if error.kind == .authentication, let cause = error.cause as? RequestError { return passes(cause) }
    return error.isConnectionFailure || [.corruptBody, .transport, .circuitOpen].contains(error.kind)
  }

  // MARK: Connecting

  /// Makes a connection; `nil` when the server wants no more of them.
  private func connect(unless signal: CancellationSignal) async throws -> BodyEvents? {
    let limits = request.limits ?? agent.configuration.limits
    let timeout = agent.configuration.timeout(of: request)
    let headTimeout = min(limits.attemptTimeout ?? timeout, timeout)
    let dispatch = Dispatch.begin(endless(limits), by: agent, under: signal, headTimeout: headTimeout)
    do {
      let response = try await withTaskCancellationHandler {
        try await dispatch.open()
      } onCancel: {
        dispatch.time.cancellation.cancel(by: .task)
      }
      if response.head.status != 204 { return BodyEvents(response, after: lastEventID, limit: limit) }
      // To its end, so that the dispatch is no cancelled one.
      for try await _ in response.body {}
      return nil
    } catch let error as RequestError where error.kind == .status && error.status == 204 {
      // Validators of the request's own do not like it.
      return nil
    }
  }

  /// The request of a connection, whose transfer may take any time and size.
  private func endless(_ limits: TransferLimits) -> OverriddenRequest<R> {
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

/// The values of events, up to the event that ends them.
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

/// Judges the head of a stream of events: status 200 and its type, or 204, which ends them.
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
