public import Errand
import ErrandHARFormat
public import Foundation

/// A transport that records the exchanges of another transport in a HAR 1.2 file, or replays the file.
///
///     let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "users.har")
///     let transport = try RecordingTransport(file, mode: .recordMissing)
///     let agent = RequestAgent(baseURL: "https://api.example.com", transport: transport)
///     let user = try await agent.send(GetUser(id: 7))
///     try transport.save()
///
/// By default, a request matches entries with the same method and URL. Often, the bodies must be equal too;
/// see ``RecordingMatching``. Matching entries answer in order, and by default the last match repeats. In
/// ``Mode/replay``, a request that no entry can answer fails with ``Errand/RequestError/Kind/unmatchedStub``.
///
/// Secrets are hidden in the file. Hidden JSON values usually become `"<redacted>"`, `0` or `false`. In a
/// binary body, only values known from elsewhere, such as the request's credentials, are hidden. Of a
/// `multipart/*` request body, only the length is written.
///
/// Streamed request bodies are read completely before sending, except in ``Mode/passThrough``.
///
/// Use only one transport for a file at a time.
public final class RecordingTransport: Transport, Sendable {
  /// The source of the responses.
  public enum Mode: Sendable, Hashable {
    /// Responses come from the file only; no request is sent.
    case replay
    /// A matching entry of the file answers; otherwise, the server answers.
    ///
    /// ``RecordingTransport/save()`` adds the server's exchanges to the file.
    case recordMissing
    /// The server answers every request.
    ///
    /// If exchanges were recorded, ``RecordingTransport/save()`` replaces the file.
    case recordAll
    /// The server answers every request; the file is neither read nor written.
    case passThrough
  }

  /// A closure that changes an exchange before recording, or returns `false` to leave the exchange out.
  ///
  /// The response body is usually decoded, for example from gzip. The request body is in memory.
  public typealias Edit = @Sendable (_ request: inout HTTPRequest, _ response: inout HTTPResponse) -> Bool

  /// The HAR file.
  public let file: URL
  /// The source of the responses.
  public let mode: Mode
  let entries: RecordedEntries
  let redaction: Redaction
  let keepsTimes: Bool
  private let repeatsLast: Bool
  private let edit: Edit?
  let transport: any Transport
  let journal = RecordingJournal()

  /// Creates a transport for a file.
  ///
  /// Throws a ``/Errand/TransportError`` of kind ``Errand/RequestError/Kind/recording`` if the file cannot be
  /// read. ``Mode/replay`` requires the file.
  ///
  /// - `mode`: ``Mode/replay`` by default.
  /// - `transport`: the transport to the server; the platform's transport by default.
  /// - `redaction`: ``/Errand/Redaction/standard`` by default.
  /// - `repeatsLast`: true if the last matching entry may answer again; `true` by default.
  /// - `keepsTimes`: true to write real dates and timings; `false` by default.
  /// - `edit`: changes the exchange before secrets are hidden; may be called concurrently.
  public init(
    _ file: URL, mode: Mode = .replay, over transport: (any Transport)? = nil,
    redaction: Redaction = .standard, matching: RecordingMatching = RecordingMatching(),
    repeatsLast: Bool = true, keepsTimes: Bool = false, edit: Edit? = nil
  ) throws {
    self.edit = edit
    self.file = file
    self.mode = mode
    self.transport = transport ?? DefaultTransport.make()
    self.redaction = redaction
    self.repeatsLast = repeatsLast
    self.keepsTimes = keepsTimes
    entries =
      switch mode {
      case .replay: try RecordedEntries(reading: file, redaction: redaction, matching: matching)
      case .recordMissing:
        try RecordedEntries(readingIfThere: file, redaction: redaction, matching: matching)
      case .recordAll, .passThrough: RecordedEntries([], file: file, redaction: redaction)
      }
  }

  /// The capabilities of the wrapped transport.
  public var capabilities: TransportCapabilities { transport.capabilities }

  /// Resets the connections of the wrapped transport.
  public func resetConnections() { transport.resetConnections() }

  /// The connections of the wrapped transport.
  public var connections: ConnectionSettings.Pool.Snapshot {
    get async throws { try await transport.connections }
  }

  /// Returns the client identity of the wrapped transport.
  public func clientIdentity(for url: URL) -> String? { transport.clientIdentity(for: url) }

  /// Answers a request from the file or from the server.
  ///
  /// Throws ``/Errand/TransportError/cancelled`` if the request is cancelled before the call or while the
  /// request's body is read.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard !request.cancellation.isCancelled else { throw TransportError.cancelled }
    if mode == .passThrough { return try await transport.send(request) }
    var request = request
    let body = try await RecordingUpload.body(of: &request)
    if mode == .recordAll { return try await record(request, body: body) }
    let matches = entries.matches(request.request, body: body, comparingBodies: mode == .recordMissing)
    if let index = journal.takeIndex(from: matches, repeatsLast: repeatsLast) {
      return try entries.entries[index].replayed(to: request.request, from: entries.exchange(at: index))
    }
    guard mode == .recordMissing else { throw entries.unmatched(request.request, used: matches) }
    return try await record(request, body: body)
  }

  /// The entries that no request has used, in the order of the file; empty in ``Mode/recordAll`` and
  /// ``Mode/passThrough``.
  public var unusedEntries: [RecordedExchange] {
    let used = journal.used
    return entries.entries.indices.filter { !used.contains($0) }.map(entries.exchange)
  }

  /// Throws an error of kind ``Errand/RequestError/Kind/recording`` if there are ``unusedEntries``.
  public func checkAllUsed() throws {
    let unused = unusedEntries
    guard !unused.isEmpty else { return }
    let list = unused.map(\.line).joined(separator: "; ")
    throw TransportError(.recording, "no request used these entries of \(file.lastPathComponent): \(list)")
  }

  /// Checks the recorded responses against the endpoints' validators, hooks and `Response` types.
  ///
  ///     let problems = try await RecordingTransport(file).check([GetUser(id: 7), ListAll()]) { transport in
  ///       RequestAgent(baseURL: "https://api.example.com", transport: transport)
  ///     }
  ///
  /// The entries of the file answer in place of the network. Each request is sent with the `retryPolicy`
  /// `.none` and the `mockPolicy` `.never`. A request with several matching entries is usually sent several
  /// times.
  ///
  /// - Returns: the problems of the requests, followed by the entries that no request used.
  /// - Throws: `CancellationError` if the calling task was cancelled.
  public func check(
    _ requests: [any Request], agent: @Sendable (any Transport) -> RequestAgent
  ) async throws -> [ContractProblem] {
    var problems: [ContractProblem] = []
    var found: Set<Int> = []
    for request in requests {
      let transport = ContractTransport(entries, capabilities: capabilities)
      problems += try await Self.problems(of: request, agent: agent(transport), transport)
      found.formUnion(transport.used)
    }
    let unclaimed = entries.entries.indices.filter { !found.contains($0) }
    return problems + unclaimed.map { ContractProblem(entry: entries.exchange(at: $0), error: nil) }
  }

  private static func problems<R: Request>(
    of request: R, agent: RequestAgent, _ transport: ContractTransport
  ) async throws -> [ContractProblem] {
    var problems: [ContractProblem] = []
    repeat {
      transport.begin()
      do {
        try await agent.send(request.with(\.retryPolicy, .none).with(\.mockPolicy, .never))
      } catch let error as RequestError {
        problems.append(ContractProblem(entry: transport.latest, error: error))
      }
    } while transport.hasMore
    return problems
  }

  /// Atomically writes the entries read from the file, followed by the recorded exchanges.
  ///
  /// No effect without recorded exchanges. Throws a ``/Errand/TransportError`` of kind
  /// ``Errand/RequestError/Kind/recording`` if the file cannot be written.
  public func save() throws {
    try journal.save { recorded in
      guard !recorded.isEmpty else { return }
      try RecordedEntries.write(entries.entries + recorded, to: file)
    }
  }

  /// Runs `body` and then saves the recorded exchanges; if `body` throws, nothing is saved.
  ///
  /// `body` runs in the isolation of the caller.
  public func saving<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (RecordingTransport) async throws -> sending Value
  ) async throws -> sending Value {
    let value = try await body(self)
    try save()
    return value
  }

  func record(_ request: TransportRequest, body: Data) async throws -> TransportResponse {
    let number = journal.nextNumber()
    let (started, clock) = (Date(), ContinuousClock())
    let sent = clock.now
    let answer = try await transport.send(RecordingUpload.replacingStream(in: request, by: body))
    let source = RecordingSource(answer.body, cancellation: request.cancellation) {
      [self] data, summary, isWhole in
      let times = keepsTimes ? HARExchange.Times(started: started, elapsed: clock.now - sent) : nil
      var exchange = HARExchange(
        request: request.request, requestBody: body, head: answer.head, body: data, summary: summary,
        isWhole: isWhole, times: times)
      if let edit, !exchange.change(by: edit) { return }
      journal.add(HAREntry(exchange, redaction: redaction), number: number)
    }
    return TransportResponse(head: answer.head, body: BodyStream(source))
  }
}

extension HARExchange {
  fileprivate mutating func change(by edit: RecordingTransport.Edit) -> Bool {
    request.body =
      requestBody.isEmpty ? .none : .data(requestBody, contentType: request.headers["Content-Type"])
    head.body = body
    let isKept = edit(&request, &head)
    body = head.body
    head.body = Data()
    switch request.body.content {
    case .none: requestBody = Data()
    case .data(let data): requestBody = data
    // If `edit` sets a stream, the stream is not read and the recorded body stays.
    case .stream: break
    }
    return isKept
  }
}
