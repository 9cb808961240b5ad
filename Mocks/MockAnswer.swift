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
/// The mock adds `Content-Length` or `Transfer-Encoding` unless present. A server adds `Connection: close` if
/// the client asked to close, or if a chunked answer goes to an HTTP/1.0 client. No other field is added,
/// such as `Date`. An answer to `HEAD`, or with a status that forbids a body, is sent without the body.
public struct MockAnswer: Sendable {
  /// The content after the head, or in place of the head.
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
  /// The wait before the head; zero by default.
  public var delay: Duration = .zero
  /// The random wait of each request; `nil`: every request waits for ``delay``.
  var drawnDelay: DrawnDelay?
  var content: Content
  var wire = WireForm()
  /// The rate of the body in bytes per second; `nil`: no limit.
  var throughput: Int?
  /// The fault; `nil`: no fault.
  var fault: AnswerFault?
  /// True if the body is encoded as `Content-Encoding` says, so that a transport must decode the body.
  var isCoded = false
  /// True if range requests get a part of the body.
  var acceptsRanges = false
  /// Creates the answer for a dispatch with a known JSON coding; `nil` if the coding does not matter.
  var remade: (@Sendable (JSONCoding) -> MockAnswer)?

  /// Returns this answer with a header field added.
  ///
  /// A single-valued field, such as `Content-Type`, replaces an earlier field of the same name; all further
  /// fields are added. To send a single-valued field twice, use ``headerLine(_:)-(String)`` or ``headers``.
  public func header(_ name: String, _ value: String) -> MockAnswer {
    var copy = self
    if Self.singleHeaders.contains(name.lowercased()) { copy.headers[name] = nil }
    copy.headers.add(name, value)
    return copy
  }

  /// Single-valued fields (RFC 9110), without framing fields, so that a test can send framing fields twice.
  private static let singleHeaders: Set<String> = [
    "content-disposition", "content-location", "content-range", "content-type", "etag", "last-modified",
    "location",
    "retry-after",
  ]

  /// Returns this answer with default header fields, also applied to an answer created anew for a dispatch.
  func adding(defaults: HTTPHeaders) -> MockAnswer {
    var copy = self
    copy.headers.fields += defaults.fields.filter { !headers.contains($0.name) }
    if let remade { copy.remade = { remade($0).adding(defaults: defaults) } }
    return copy
  }

  /// Returns this answer with a delay, on a transport's clock or in real time on a server.
  public func delayed(by delay: Duration) -> MockAnswer {
    var copy = self
    copy.delay = delay
    copy.drawnDelay = nil
    return copy
  }

  /// Returns this answer with a random delay for each request, on the same clock as ``delayed(by:)``.
  ///
  /// The n-th request of a mock waits for the n-th random value of the seed. The same seed and the same order
  /// of requests give the same delays, so a run is reproducible.
  ///
  /// - Parameters:
  ///   - range: the shortest and the longest delay, with a uniform distribution.
  ///   - seed: the seed of the random values.
  public func delayed(within range: ClosedRange<Duration>, seed: UInt64) -> MockAnswer {
    var copy = self
    copy.drawnDelay = DrawnDelay(range: range, seed: seed)
    return copy
  }

  /// Returns this answer with a limited rate of the body, on a transport's clock or in real time on a server.
  ///
  /// The body is sent in pieces of a tenth of a second, at least one byte each.
  ///
  /// - Parameter throughput: the rate in bytes per second, at least 1.
  public func throttled(to throughput: Int) -> MockAnswer {
    var copy = self
    copy.throughput = max(throughput, 1)
    return copy
  }

  /// Returns an answer with bytes; without a `contentType` no `Content-Type` is sent.
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
  /// For a `String` argument, the overload for JSON text applies.
  ///
  /// Rethrows errors of the encoder.
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
  ///
  /// Without a `contentType` no `Content-Type` is sent. An answer with a `Content-Length` has no chunk
  /// framing. For a client of HTTP/1.0, the end of the connection marks the end of the body.
  public static func chunks(
    _ chunks: [Data], gap: Duration = .zero, contentType: String? = nil, status: HTTPResponse.Status = 200
  ) -> MockAnswer {
    make(status, contentType: contentType, content: .chunks(chunks.filter { !$0.isEmpty }, gap: gap))
  }

  /// Returns a stream of events (`text/event-stream`), with a chunk for each event and a wait between events.
  ///
  /// ```swift
  /// .events([ServerSentEvent("21.5", id: "1"), ServerSentEvent("21.7", id: "2")], staysOpen: true)
  /// ```
  ///
  /// - Parameters:
  ///   - events: the events.
  ///   - gap: the wait between events, on a transport's clock or in real time on a server; zero by default.
  ///   - staysOpen: true if the stream stalls after the last event, until the client leaves or the timeout
  ///     for progress passes; `false` by default: the stream ends.
  public static func events(
    _ events: [ServerSentEvent], gap: Duration = .zero, staysOpen: Bool = false
  ) -> MockAnswer {
    let chunks = events.map { Data($0.wireText.utf8) }
    guard staysOpen else { return .chunks(chunks, gap: gap, contentType: "text/event-stream") }
    let count = chunks.reduce(0) { $0 + $1.count }
    // The body has one extra byte after the events, because a fault must be inside the body.
    return .chunks(chunks + [Data([0x0A])], gap: gap, contentType: "text/event-stream")
      .fault(.stalled(after: count))
  }

  /// Returns a multipart document for a request with a `Response` of `[BodyPart]`.
  ///
  /// The format is the format of ``/Errand/RequestBody/multipart(_:type:boundary:)``. A file, a stream or an
  /// invalid part causes an error of kind ``Errand/RequestError/Kind/invalidStub``.
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

  /// Returns a failure: a transport throws `error`, a server closes the connection.
  ///
  /// For an error of kind ``Errand/RequestError/Kind/invalidStub``, a server answers 500 with the message.
  public static func failure(_ error: TransportError) -> MockAnswer {
    make(0, contentType: nil, content: .failure(error))
  }

  /// Returns UTF-8 bytes, copied in one piece, because a copy byte by byte takes four times as long.
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
  /// An encoder with sorted keys, so that equal values have equal bytes.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}

extension MockAnswer: PrintedByDescription {
  /// The status, the header fields, the size of the body and the fault on one line.
  ///
  /// For example `200 OK, Content-Type: application/json, 8 bytes`, or `connection refused` for a fault
  /// before the head. Secrets are hidden by ``/Errand/Redaction/standard``.
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

/// Answers with network faults, with the same effect on a ``MockTransport`` and on a ``MockServer``.
extension MockAnswer {
  /// Returns an answer that fails: `.fault(.reset)`.
  ///
  /// A fault inside the body gets a body of zero bytes: one byte more than the sent part, at most 16 MiB + 1.
  public static func fault(_ fault: AnswerFault) -> MockAnswer {
    data(Data(count: fault.bodyLength.map { min($0, 1 << 24) + 1 } ?? 0)).fault(fault)
  }

  /// Returns this answer with a fault: `.json(#"{"id":7}"#).fault(.truncated(after: 3))`.
  public func fault(_ fault: AnswerFault) -> MockAnswer {
    var copy = self
    copy.fault = fault
    return copy
  }
}

/// Bodies in the content coding gzip (RFC 9110 section 8.4.1.3), valid and broken.
extension MockAnswer {
  /// Returns this answer with a gzip body and a `Content-Encoding` field, without actual compression.
  ///
  /// A ``MockTransport`` decodes the body, within the ``/Errand/TransferLimits``. The agent gets the original
  /// body, and the sent head with the encoded length. Without `gzipped()`, a transport treats the body as
  /// already decoded, even if a test sets a `Content-Encoding` field.
  public func gzipped() -> MockAnswer {
    var copy = editingBody { $0 = Gzip.stored($0) }.header("Content-Encoding", "gzip")
    copy.isCoded = true
    return copy
  }

  /// Returns this answer with an edited body.
  ///
  /// The head gives the length of the edited body.
  ///
  /// `.gzipped().editingBody { $0.removeLast(4) }` is a truncated gzip coding in a complete body. All chunks
  /// become one chunk. A failure and an answer of raw steps stay unchanged.
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

  /// Returns a decompression bomb in gzip: `size` zero bytes, about 150 times longer than the encoded bytes.
  ///
  /// For a ``MockServer`` only. The end of the connection ends the body. A negative `size` counts as 0.
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
  /// A client with a `Range` field gets only the requested part.
  ///
  ///     Stub(.get, "/image.iso", answers: .data(image).header("ETag", "\"v1\"").acceptingRanges())
  ///
  /// Ranges apply to `GET` and status 200. The field `Accept-Ranges: bytes` is added unless present.
  ///
  /// - `bytes=a-`, `bytes=a-b` and `bytes=-n` get status 206 with a `Content-Range`.
  /// - A range beyond the end gets status 416 with the length.
  /// - Several ranges, another unit or an invalid field get the whole body.
  /// - `If-Range` with a different or weak validator gets the whole body (RFC 9110 section 13.1.5).
  ///
  /// Byte counts of faults, such as ``AnswerFault/truncated(after:)``, apply to the sent part.
  public func acceptingRanges() -> MockAnswer {
    var copy = self
    copy.acceptsRanges = true
    if !headers.contains("Accept-Ranges") { copy.headers.add("Accept-Ranges", "bytes") }
    return copy
  }

  /// Returns the answer to a request: the whole or the requested part, with the random delay of the request.
  @inline(__always)
  func answering(_ request: ReceivedRequest) -> MockAnswer {
    guard acceptsRanges || drawnDelay != nil else { return self }
    return made(for: request)
  }

  private func made(for request: ReceivedRequest) -> MockAnswer {
    var answer =
      acceptsRanges ? RangedAnswer(whole: self).answer(to: request.method, asked: request.headers) : self
    if let drawnDelay { answer.delay = drawnDelay.delay(ofRequest: request.number) }
    return answer
  }
}
