import ErrandJSON
public import Errand
public import Foundation

/// An answer of a ``MockTransport`` or a ``MockServer``.
///
///     .json(#"{"id":7}"#)
///     .status(503).header("Retry-After", "1")
///     .text("late").delayed(by: .milliseconds(200))
///     .json(#"{"id":7}"#).throttled(to: 1000)
///     .fault(.reset)
///     .json(#"{"id":7}"#).fault(.truncated(after: 3))
///     .data(image).header("ETag", "\"v1\"").acceptingRanges()
///
/// The mock adds a missing `Content-Length` or `Transfer-Encoding`. Exceptions are ``unframed()`` and raw
/// answers, a status without a body, and chunks for an HTTP/1.0 client. The mock adds no `Date` field. Except
/// for a raw answer, an answer to `HEAD`, or with status 1xx, 204 or 304, is sent without the body.
public struct MockAnswer: Sendable {
  enum Content: Sendable {
    case data(Data)
    case chunks([Data], gap: Duration)
    case failure(TransportError)
    case steps([AnswerStep])
  }

  /// The status.
  public var status: HTTPResponse.Status
  /// The header fields in the order of sending; not validated by a server.
  public var headers: HTTPHeaders
  /// The wait before the head, for an answer without a random delay; zero by default.
  public var delay: Duration = .zero
  var content: Content
  private var rare: Rare?

  /// Returns this answer with a header field added.
  ///
  /// Some fields, such as `Content-Type` and `ETag`, replace an earlier field of the same name. To send such
  /// a field twice, use ``headerLine(_:)-(String)`` or ``headers``.
  public func header(_ name: String, _ value: String) -> MockAnswer {
    var copy = self
    if Self.singleHeaders.contains(name.lowercased()) { copy.headers[name] = nil }
    copy.headers.add(name, value)
    return copy
  }

  /// The single-valued fields that ``header(_:_:)`` replaces (RFC 9110 and RFC 6266).
  ///
  /// Framing fields are not in the list, because a test may need to send a framing field twice.
  private static let singleHeaders: Set<String> = [
    "content-disposition", "content-location", "content-range", "content-type", "etag", "last-modified",
    "location",
    "retry-after",
  ]

  func adding(defaults: HTTPHeaders) -> MockAnswer {
    var copy = self
    copy.headers.fields += defaults.fields.filter { !headers.contains($0.name) }
    if let reencoded { copy.reencoded = { reencoded($0).adding(defaults: defaults) } }
    return copy
  }

  /// Returns this answer with a delay, on a transport's clock or in real time on a server.
  public func delayed(by delay: Duration) -> MockAnswer {
    var copy = self
    copy.delay = delay
    copy.randomDelay = nil
    return copy
  }

  /// Returns this answer with a random delay for each request, on the same clock as ``delayed(by:)``.
  ///
  /// The delay depends on the seed and on ``ReceivedRequest/number``.
  ///
  /// - Parameters:
  ///   - range: the shortest and the longest delay, with a uniform distribution.
  ///   - seed: the seed of the random values.
  public func delayed(within range: ClosedRange<Duration>, seed: UInt64) -> MockAnswer {
    var copy = self
    copy.randomDelay = RandomDelay(range: range, seed: seed)
    return copy
  }

  /// Returns this answer with a limited rate of the body, on a transport's clock or in real time on a server.
  ///
  /// The body is sent in pieces of at most `throughput / 10` bytes, or of one byte for a small throughput.
  ///
  /// - Parameter throughput: the rate in bytes per second, at least 1.
  public func throttled(to throughput: Int) -> MockAnswer {
    var copy = self
    copy.throughput = max(throughput, 1)
    return copy
  }

  /// Returns an answer with bytes as the body.
  public static func data(_ data: Data, contentType: String? = nil, status: HTTPResponse.Status = 200)
    -> MockAnswer
  {
    make(status, contentType: contentType, content: .data(data))
  }

  /// Returns an answer with JSON text, unchecked, so that a test can send malformed JSON.
  public static func json(_ text: String, status: HTTPResponse.Status = 200) -> MockAnswer {
    data(bytes(of: text), contentType: "application/json", status: status)
  }

  /// Returns an answer with a value encoded as JSON, with sorted keys by default.
  ///
  /// Without `encoder`, a `String` argument selects the overload for JSON text. Rethrows errors of the
  /// encoder.
  public static func json(
    _ value: some Encodable, status: HTTPResponse.Status = 200, encoder: JSONEncoder? = nil
  ) throws -> MockAnswer {
    let encoder = encoder ?? JSONEncoder.sorted
    return data(try encoder.encode(value), contentType: "application/json", status: status)
  }

  /// Returns an answer with UTF-8 text of type `text/plain; charset=utf-8`.
  public static func text(_ text: String, status: HTTPResponse.Status = 200) -> MockAnswer {
    data(bytes(of: text), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// Returns an answer with a status and no body.
  public static func status(_ status: HTTPResponse.Status) -> MockAnswer {
    data(Data(), status: status)
  }

  /// Returns an answer with a body in chunks and a wait between chunks.
  ///
  /// Empty chunks are left out.
  public static func chunks(
    _ chunks: [Data], gap: Duration = .zero, contentType: String? = nil, status: HTTPResponse.Status = 200
  ) -> MockAnswer {
    make(status, contentType: contentType, content: .chunks(chunks.filter { !$0.isEmpty }, gap: gap))
  }

  /// Returns a stream of events (`text/event-stream`), with a chunk for each event.
  ///
  /// ```swift
  /// .events([ServerSentEvent("21.5", id: "1"), ServerSentEvent("21.7", id: "2")], staysOpen: true)
  /// ```
  ///
  /// - Parameters:
  ///   - events: the events.
  ///   - gap: the wait between events, on a transport's clock or in real time on a server; zero by default.
  ///   - staysOpen: true if the stream stalls after the last event, until the client closes the stream or the
  ///     request's timeout passes. `false` by default: the stream ends.
  public static func events(
    _ events: [ServerSentEvent], gap: Duration = .zero, staysOpen: Bool = false
  ) -> MockAnswer {
    let chunks = events.map { Data($0.wireText.utf8) }
    guard staysOpen else { return .chunks(chunks, gap: gap, contentType: "text/event-stream") }
    let count = chunks.reduce(0) { $0 + $1.count }
    // A fault must be inside the body, so the body has an extra byte after the events.
    return .chunks(chunks + [Data([0x0A])], gap: gap, contentType: "text/event-stream")
      .fault(.stalled(after: count))
  }

  /// Returns a multipart document for a request with a `Response` of `[BodyPart]`.
  ///
  /// The body has the format of ``/Errand/RequestBody/multipart(_:type:boundary:)``. An invalid part, or a
  /// part from a file or a stream, gives a ``failure(_:)`` of kind ``Errand/RequestError/Kind/invalidStub``.
  public static func multipart(
    _ parts: [BodyPart], type: MIMEType = .mixed, boundary: String? = nil, status: HTTPResponse.Status = 200
  ) -> MockAnswer {
    do {
      let body = try RequestBody.multipart(parts, type: type, boundary: boundary).prepared { JSONCoding() }
      guard let document = body.document else {
        throw Refusal("a part is not in memory")
      }
      return data(document, contentType: body.contentType, status: status)
    } catch {
      let problem = (error as? Refusal)?.message ?? "\(error)"
      return .failure(TransportError(.invalidStub, "the multipart answer cannot be built: \(problem)"))
    }
  }

  /// Returns a failure: a transport throws `error`, and a server closes the connection.
  ///
  /// For an error of kind ``Errand/RequestError/Kind/invalidStub``, a server answers 500 with the message.
  public static func failure(_ error: TransportError) -> MockAnswer {
    make(0, contentType: nil, content: .failure(error))
  }

  private static func bytes(of text: String) -> Data {
    var text = text
    return text.withUTF8 { Data($0) }
  }

  private static func make(_ status: HTTPResponse.Status, contentType: String?, content: Content)
    -> MockAnswer
  {
    let fields = contentType.map { [HTTPHeaders.Field(name: "Content-Type", value: $0)] }
    return MockAnswer(status: status, headers: HTTPHeaders(fields ?? []), content: content)
  }
}

extension JSONEncoder {
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}

extension MockAnswer: PrintedByDescription {
  /// A single line such as `200 OK, Content-Type: application/json, 8 bytes`.
  ///
  /// For a fault before the head, the line has only the fault, such as `connection refused`. Secrets in
  /// header fields are hidden by ``/Errand/Redaction/standard``.
  public var description: String {
    if case .failure(let error) = content { return "failure: \(error)".onOneLine }
    if case .steps(let steps) = content { return "\(steps.count) steps" }
    if let fault, fault.bodyLength == nil { return fault.description }
    var parts = ["\(status)"] + headers.fields.map(String.init(describing:))
    switch content {
    case .data(let data): parts.append("\(data.count) bytes")
    case .chunks(let chunks, _):
      parts.append("\(chunks.map(\.count).reduce(0, +)) bytes in \(chunks.count) chunks")
    case .failure, .steps: break
    }
    return (parts + [fault?.description].compactMap(\.self)).joined(separator: ", ").onOneLine
  }
}

extension String {
  fileprivate var onOneLine: String {
    split(whereSeparator: \.isNewline).joined(separator: " ").printed
  }
}

extension MockAnswer {
  /// Returns a failing answer: `.fault(.reset)`.
  ///
  /// For a fault inside the body, the body consists of zeros. A fault after more than 16 MiB of the body does
  /// not happen.
  public static func fault(_ fault: AnswerFault) -> MockAnswer {
    data(Data(count: fault.bodyLength.map { min($0, 1 << 24) + 1 } ?? 0)).fault(fault)
  }

  /// Returns this answer with a fault: `.json(#"{"id":7}"#).fault(.truncated(after: 3))`.
  ///
  /// A fault before the head, such as ``AnswerFault/reset``, takes the place of the whole answer, also of
  /// ``cut(_:after:by:)``, ``dripping(_:every:)`` and ``then(_:)``. Only a delay stays.
  public func fault(_ fault: AnswerFault) -> MockAnswer {
    var copy = self
    copy.fault = fault
    return copy
  }
}

extension MockAnswer {
  /// Returns this answer with a gzip body (RFC 9110 section 8.4.1.3) and a `Content-Encoding` field.
  ///
  /// The bytes are not compressed. A ``MockTransport`` decodes the body; on Linux, the
  /// ``/Errand/TransferLimits`` apply to the decoded body. Without `gzipped()`, a `MockTransport` does not
  /// decode the body, even if a test sets a `Content-Encoding` field.
  public func gzipped() -> MockAnswer {
    var copy = editingBody { $0 = Gzip.stored($0) }.header("Content-Encoding", "gzip")
    copy.isCoded = true
    return copy
  }

  /// Returns this answer with an edited body; no effect on a raw answer or a failure.
  ///
  /// A `Content-Length` added by the mock gives the new length. `.gzipped().editingBody { $0.removeLast(4) }`
  /// sends a truncated gzip stream as a complete body. All chunks become a single chunk.
  public func editingBody(_ edit: (_ body: inout Data) throws -> Void) rethrows -> MockAnswer {
    var copy = self
    switch content {
    case .data(var data):
      try edit(&data)
      copy.content = .data(data)
    case .chunks(let chunks, let gap):
      var data = Data(chunks.joined())
      try edit(&data)
      copy.content = .chunks(data.isEmpty ? [] : [data], gap: gap)
    case .failure, .steps: break
    }
    return copy
  }

  /// Returns a decompression bomb: a short gzip body, decoded to `size` zeros.
  ///
  /// For a ``MockServer`` only. The end of the connection ends the body.
  public static func bomb(_ size: Int) -> MockAnswer {
    let (size, unit) = (max(size, 0), 258 * 256 + 1)
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
    return .raw(
      .send(head), .send(Gzip.zeros(unit), times: size / unit), .send(Gzip.zeros(size % unit)), .closeNotify,
      .close)
  }
}

/// Support for range requests (RFC 9110 section 14).
extension MockAnswer {
  /// Returns this answer with support for range requests.
  ///
  ///     Stub(.get, "/image.iso", answers: .data(image).header("ETag", "\"v1\"").acceptingRanges())
  ///
  /// Ranges apply to `GET` and status 200. `Accept-Ranges: bytes` is added unless present.
  ///
  /// - `bytes=a-` and `bytes=a-b` with `a` inside the body, and `bytes=-n`, get status 206 with a
  ///   `Content-Range`.
  /// - A range with a start at or after the end of the body, or `bytes=-0`, gets status 416 with the length.
  /// - Several ranges, a unit besides bytes or an invalid field get the whole body.
  /// - `If-Range` with a different or weak validator gets the whole body (RFC 9110 section 13.1.5).
  public func acceptingRanges() -> MockAnswer {
    var copy = self
    copy.acceptsRanges = true
    if !headers.contains("Accept-Ranges") { copy.headers.add("Accept-Ranges", "bytes") }
    return copy
  }

  @inline(__always)
  func answering(_ request: ReceivedRequest) -> MockAnswer {
    guard acceptsRanges || randomDelay != nil else { return self }
    return made(for: request)
  }

  private func made(for request: ReceivedRequest) -> MockAnswer {
    var answer =
      acceptsRanges
      ? RangedAnswer(whole: self).answer(to: request.method, requestHeaders: request.headers) : self
    if let randomDelay { answer.delay = randomDelay.delay(ofRequest: request.number) }
    return answer
  }
}

/// The settings that few answers have, in an object, so that copies of an answer are cheap.
extension MockAnswer {
  private struct Settings: Sendable {
    var randomDelay: RandomDelay?
    var wire = WireForm()
    var throughput: Int?
    var fault: AnswerFault?
    var isCoded = false
    var acceptsRanges = false
    var reencoded: (@Sendable (JSONCoding) -> MockAnswer)?
  }

  private final class Rare: Sendable {
    let settings: Settings

    init(_ settings: Settings) { self.settings = settings }
  }

  private var settings: Settings {
    get { rare?.settings ?? Settings() }
    set { rare = Rare(newValue) }
  }

  /// The random wait of each request; `nil`: every request waits for ``delay``.
  var randomDelay: RandomDelay? {
    get { rare?.settings.randomDelay }
    set { settings.randomDelay = newValue }
  }

  var wire: WireForm {
    get { settings.wire }
    set { settings.wire = newValue }
  }

  /// True if the answer has none of these settings.
  var isPlain: Bool { rare == nil }

  /// The rate of the body in bytes per second; `nil`: no limit.
  var throughput: Int? {
    get { rare?.settings.throughput }
    set { settings.throughput = newValue }
  }

  var fault: AnswerFault? {
    get { rare?.settings.fault }
    set { settings.fault = newValue }
  }

  /// True if a ``MockTransport`` must decode the body as `Content-Encoding` says.
  var isCoded: Bool {
    get { rare?.settings.isCoded ?? false }
    set { settings.isCoded = newValue }
  }

  var acceptsRanges: Bool {
    get { rare?.settings.acceptsRanges ?? false }
    set { settings.acceptsRanges = newValue }
  }

  /// Creates the answer for the JSON coding of a dispatch; `nil`: the coding does not matter.
  var reencoded: (@Sendable (JSONCoding) -> MockAnswer)? {
    get { rare?.settings.reencoded }
    set { settings.reencoded = newValue }
  }
}
