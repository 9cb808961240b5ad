public import Errand
import ErrandHARFormat
public import Foundation

/// A transport that records what another one carries into a HAR 1.2 file, and answers from that file later.
///
///     let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("users.har")
///     let transport = try RecordingTransport(file, mode: .recordMissing)
///     let agent = RequestAgent(baseURL: "https://api.example.com", transport: transport)
///     let user = try await agent.send(GetUser(id: 7))
///     try transport.save()
///
/// An entry answers a request of its method and URL; where entries differ in the bodies of their requests, of its body
/// too, and always with ``RecordingMatching/alwaysComparesBody``. Entries for the same request answer in their order. What is compared has its secrets hidden, as what is
/// written has, so that a request with another token finds its entry. Query items count in any order, members of JSON
/// too. A request without an entry fails with ``Errand/RequestError/Kind/unmatchedStub`` and names the nearest ones.
///
/// A replayed response has the status, the header fields and the body, after content decoding, that the agent got
/// when it was recorded; only secrets are replaced, in JSON by values of their kind: `"<redacted>"`, `0`, `false`. The
/// members of an object that is a secret keep their names where those are short words, such as `address1` or
/// `expires_in`; others are `"<redacted>"`. The field `Date` is kept. Trailers of both stand in `_trailers`, as HAR has no place for them. Text of
/// another charset is redacted too, and stays in it. Bodies that are no text are written in base64, where only what is known as a secret, such
/// as a credential that the request has, is hidden, in its own bytes: a recording has the rest, so that it can be replayed. Of a
/// `multipart/*` request only the length is written. An exchange without a response, or whose body
/// broke off, is not recorded. Requests with a streamed body are read to their end before they are sent.
///
/// The same exchanges give the same bytes: entries are sorted by URL, method and body, those of the same request by
/// the order in which they were sent, and they have no times unless asked for. The HAR files of browsers are read too.
///
/// It may be used from any task; use one object for a file at a time.
public final class RecordingTransport: Transport, Sendable {
  /// Where answers come from.
  public enum Mode: Sendable, Hashable {
    /// From the file alone; nothing is sent.
    case replay
    /// From the file where it has an entry of this method, URL and body, otherwise from the server, to be added.
    case recordMissing
    /// From the server, all of them; the file is replaced.
    case recordAll
    /// From the server; the file is neither read nor written.
    case passThrough
  }

  /// Changes an exchange before it is recorded; `false` leaves it out.
  ///
  /// The body of the response is after content decoding, and the request's is in memory, a stream drained.
  public typealias Edit = @Sendable (_ request: inout HTTPRequest, _ response: inout HTTPResponse) -> Bool

  /// The HAR file.
  public let file: URL
  /// Where answers come from.
  public let mode: Mode
  let entries: RecordedEntries
  let redaction: Redaction
  let keepsTimes: Bool
  private let repeatsLast: Bool
  private let edit: Edit?
  let transport: any Transport
  let journal = RecordingJournal()

  /// Makes a transport of a file.
  ///
  /// Throws a ``/Errand/TransportError`` of kind ``Errand/RequestError/Kind/recording`` when the file is needed and
  /// cannot be read; the text says where it is malformed. Only ``Mode/replay`` needs it to be there.
  ///
  /// - Parameters:
  ///   - file: the HAR file.
  ///   - mode: where answers come from; the file alone by default.
  ///   - transport: what carries requests to the server; `nil`, the default, takes the platform's.
  ///   - redaction: what is hidden in the file, and for comparisons; ``/Errand/Redaction/standard`` by default.
  ///   - matching: what a request and an entry must have in common; method and URL by default.
  ///   - repeatsLast: whether the last entry for a request answers again when all were used, as the last answer of a
  ///     ``Stub`` does; `true` by default. Otherwise such a request fails, or is recorded as missing.
  ///   - keepsTimes: whether entries are written with their date and timings; `false` by default, as those differ
  ///     each time.
  ///   - edit: changes what is recorded, and only that: the agent gets what came. What it makes of the request is what later ones
  ///     are compared with. It is called before secrets are hidden, off the main actor, by several at a time when they come so.
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

  /// What the other transport can do, in every mode, so that requests are built alike.
  public var capabilities: TransportCapabilities { transport.capabilities }

  /// Resets those of the other transport.
  public func resetConnections() { transport.resetConnections() }

  /// What the other transport shows, in every mode.
  public func clientIdentity(for url: URL) -> String? { transport.clientIdentity(for: url) }

  /// Answers from the file or from the server.
  ///
  /// Throws ``/Errand/TransportError/cancelled`` when the request's cancellation fires.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard !request.cancellation.isCancelled else { throw TransportError.cancelled }
    if mode == .passThrough { return try await transport.send(request) }
    var request = request
    let body = try await RecordingUpload.body(of: &request)
    if mode == .recordAll { return try await record(request, body: body) }
    let matches = entries.matches(request.request, body: body, comparingBodies: mode == .recordMissing)
    if let index = journal.take(matches, repeatsLast: repeatsLast) {
      return try entries.entries[index].replayed(to: request.request, from: entries.exchange(at: index))
    }
    guard mode == .recordMissing else { throw entries.unmatched(request.request, used: matches) }
    return try await record(request, body: body)
  }

  /// The entries that answered no request, in the order of the file.
  ///
  /// There are none in ``Mode/recordAll`` and ``Mode/passThrough``, where no entry answers.
  public var unusedEntries: [RecordedExchange] {
    let used = journal.used
    return entries.entries.indices.filter { !used.contains($0) }.map(entries.exchange)
  }

  /// Throws a ``/Errand/TransportError`` of kind ``Errand/RequestError/Kind/recording`` that lists
  /// ``unusedEntries``, unless there are none.
  ///
  /// Call it at the end of a test, to notice entries that nothing asks for any more.
  public func checkAllUsed() throws {
    let unused = unusedEntries
    guard !unused.isEmpty else { return }
    let list = unused.map(\.line).joined(separator: "; ")
    throw TransportError(.recording, "nothing asked for these entries of \(file.lastPathComponent): \(list)")
  }

  /// Runs every recorded answer through its endpoint's validators, hooks and `Response` type, and tells which no
  /// longer fit.
  ///
  ///     let problems = try await RecordingTransport(file).check([GetUser(id: 7), ListUsers()]) { transport in
  ///       RequestAgent(baseURL: "https://api.example.com", transport: transport)
  ///     }
  ///     #expect(problems.isEmpty, "\(problems)")
  ///
  /// Each request finds the entries of its method and URL, and is dispatched once for each, as in production but for
  /// the wire, the ``/Errand/Request/retryPolicy``, which is `.none`, and the ``/Errand/Request/mockPolicy``, which is
  /// `.never`. Where entries differ in the bodies of their requests and some have its body, it finds only those.
  /// Redirects take their entries too. Nothing is sent, and ``unusedEntries`` does not change.
  ///
  /// - Parameters:
  ///   - requests: the endpoints, in any order.
  ///   - agent: makes the agent of one endpoint over the transport it is given, with the base URL and the hooks of
  ///     production.
  /// - Returns: the problems of the requests in their order, and then the entries that no request found.
  /// - Throws: `CancellationError` when the calling task was cancelled.
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

  /// Writes what has been recorded so far, as a whole or not at all; what the file had stays in front.
  ///
  /// Does nothing when nothing was recorded. An exchange is recorded when its body has been read or given up. Throws a
  /// ``/Errand/TransportError`` of kind ``Errand/RequestError/Kind/recording`` when the file cannot be written.
  public func save() throws {
    try journal.save { recorded in
      guard !recorded.isEmpty else { return }
      try RecordedEntries.write(entries.entries + recorded, to: file)
    }
  }

  /// Runs `body` and then writes what was recorded; when `body` throws, nothing is written.
  ///
  ///     let user = try await RecordingTransport(file, mode: .recordMissing).saving { transport in
  ///       try await RequestAgent(baseURL: "https://api.example.com", transport: transport).send(GetUser(id: 7))
  ///     }
  ///
  /// `body` runs in the isolation of the caller. Throws what it throws, and what ``save()`` throws.
  public func saving<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (RecordingTransport) async throws -> sending Value
  ) async throws -> sending Value {
    let value = try await body(self)
    try save()
    return value
  }

  /// Sends a request and writes down what comes back, as it is read.
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
  /// Lets the test change it; whether it is kept.
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
    // One that the edit put there would have to be waited for.
    case .stream: break
    }
    return isKept
  }
}
