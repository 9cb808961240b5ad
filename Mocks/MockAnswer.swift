import ErrandJSON
public import Errand
public import Foundation

/// One answer of a ``MockTransport`` or a ``MockServer``.
///
///     .json(#"{"id":7}"#) .status(503).header("Retry-After", "1") .text("late").delayed(by: .milliseconds(200))
///     .json(#"{"id":7}"#).throttled(to: 1000) .fault(.reset) .json(#"{"id":7}"#).fault(.truncated(after: 3)) .data(image).header("ETag",
///     "\"v1\"").acceptingRanges()
///
/// The field that frames the body, `Content-Length` or `Transfer-Encoding`, is added unless the answer has one. Nothing else is: no `Date`,
/// no `Server`. An answer to `HEAD`, and one whose status forbids a body, goes without its body.
public struct MockAnswer: Sendable {
  /// What follows the head, or comes in its place.
  enum Content: Sendable {
    case data(Data)
    case chunks([Data], gap: Duration)
    case failure(TransportError)
    case steps([AnswerStep])
  }

  /// The status.
  public var status: HTTPResponse.Status
  /// The header fields, in the order in which they are sent; on a server they are not checked.
  public var headers: HTTPHeaders
  /// How long it is waited before the head is sent; none by default.
  public var delay: Duration = .zero
  /// Draws the wait of each request; `nil` where all wait for ``delay``.
  var drawnDelay: DrawnDelay?
  var content: Content
  var wire = WireForm()
  /// Bytes of the body a second; `nil` sends them as fast as they are taken.
  var throughput: Int?
  /// How it fails; `nil` when it does not.
  var fault: AnswerFault?
  /// Whether its body is in the coding that its head names, to be undone by a transport.
  var isCoded = false
  /// Whether a part of it is given to who asks for one.
  var acceptsRanges = false
  /// The same for a dispatch that reads JSON by a known coding; `nil` when that makes no difference.
  var remade: (@Sendable (JSONCoding) -> MockAnswer)?

  /// This answer with a field added; one of the same name stays, but for fields that can be there only once, such as `Content-Type`, whose
  /// value is replaced.
  ///
  /// A server that sends two of such a field all the same is made with ``headerLine(_:)-(String)``, or by ``headers``.
  public func header(_ name: String, _ value: String) -> MockAnswer {
    var copy = self
    if Self.singleHeaders.contains(name.lowercased()) { copy.headers[name] = nil }
    copy.headers.add(name, value)
    return copy
  }

  /// Fields of one value (RFC 9110), but for those that frame the body, of which broken servers send two.
  private static let singleHeaders: Set<String> = [
    "content-disposition", "content-location", "content-range", "content-type", "etag", "last-modified",
    "location",
    "retry-after",
  ]

  /// This answer with the fields that it has none of, also where it is made anew for a dispatch.
  func adding(defaults: HTTPHeaders) -> MockAnswer {
    var copy = self
    copy.headers.fields += defaults.fields.filter { !headers.contains($0.name) }
    if let remade { copy.remade = { remade($0).adding(defaults: defaults) } }
    return copy
  }

  /// This answer after a wait: on a transport's clock, or in real time on a server.
  public func delayed(by delay: Duration) -> MockAnswer {
    var copy = self
    copy.delay = delay
    copy.drawnDelay = nil
    return copy
  }

  /// This answer after a wait that is drawn anew for each request: on a transport's clock, or in real time on a server.
  ///
  /// The n-th request that a transport or a server gets waits for the n-th draw of the seed, whatever came in between, so that a run can be
  /// repeated: the same seed and the same order of requests give the same waits.
  ///
  /// - Parameters:
  ///   - range: the shortest and the longest wait, drawn from evenly.
  ///   - seed: what the draws are made of.
  public func delayed(within range: ClosedRange<Duration>, seed: UInt64) -> MockAnswer {
    var copy = self
    copy.drawnDelay = DrawnDelay(range: range, seed: seed)
    return copy
  }

  /// This answer with its body as slowly as so many bytes a second, in pieces of a tenth of a second or of one byte; on a transport's
  /// clock, or in real time on a server.
  ///
  /// - Parameter throughput: bytes a second, of which one is the least.
  public func throttled(to throughput: Int) -> MockAnswer {
    var copy = self
    copy.throughput = max(throughput, 1)
    return copy
  }

  /// Bytes; without a `contentType` no `Content-Type` is sent.
  public static func data(_ data: Data, contentType: String? = nil, status: HTTPResponse.Status = 200)
    -> MockAnswer
  {
    make(status, contentType: contentType, content: .data(data))
  }

  /// JSON as you write it; it may be malformed on purpose.
  public static func json(_ text: String, status: HTTPResponse.Status = 200) -> MockAnswer {
    data(bytes(of: text), contentType: "application/json", status: status)
  }

  /// A value encoded as JSON, with sorted keys unless you give an encoder; a `String` is taken for JSON itself.
  ///
  /// Throws what the encoder throws.
  public static func json(
    _ value: some Encodable, status: HTTPResponse.Status = 200, encoder: JSONEncoder? = nil
  ) throws -> MockAnswer {
    let encoder = encoder ?? JSONEncoder.sorted
    return data(try encoder.encode(value), contentType: "application/json", status: status)
  }

  /// Text in UTF-8, of type `text/plain; charset=utf-8`.
  public static func text(_ text: String, status: HTTPResponse.Status = 200) -> MockAnswer {
    data(bytes(of: text), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// A status without a body.
  public static func status(_ status: HTTPResponse.Status) -> MockAnswer {
    data(Data(), status: status)
  }

  /// A body in chunks, with a wait between each two; empty chunks are left out.
  ///
  /// Without a `contentType` no `Content-Type` is sent. With a `Content-Length` of its own the answer has no framing of chunks; a client of
  /// HTTP/1.0, which knows none, finds the end of the body at the end of the connection.
  public static func chunks(
    _ chunks: [Data], gap: Duration = .zero, contentType: String? = nil, status: HTTPResponse.Status = 200
  ) -> MockAnswer {
    make(status, contentType: contentType, content: .chunks(chunks.filter { !$0.isEmpty }, gap: gap))
  }

  /// A stream of events (`text/event-stream`), each in a chunk of its own, with a wait between each two.
  ///
  /// ```swift
  /// .events([ServerSentEvent("21.5", id: "1"), ServerSentEvent("21.7", id: "2")], staysOpen: true)
  /// ```
  ///
  /// - Parameters:
  ///   - events: what is sent.
  ///   - gap: between each two; on a transport's clock, or in real time on a server.
  ///   - staysOpen: whether the stream is silent after the last event, until the client leaves or its time without progress is over; it
  ///     ends by default.
  public static func events(
    _ events: [ServerSentEvent], gap: Duration = .zero, staysOpen: Bool = false
  ) -> MockAnswer {
    let chunks = events.map { Data($0.wireText.utf8) }
    guard staysOpen else { return .chunks(chunks, gap: gap, contentType: "text/event-stream") }
    let count = chunks.reduce(0) { $0 + $1.count }
    // A byte that does not come, which the stream is silent for.
    return .chunks(chunks + [Data([0x0A])], gap: gap, contentType: "text/event-stream")
      .fault(.stalled(after: count))
  }

  /// A document of parts, as ``/Errand/RequestBody/multipart(_:type:boundary:)`` sends it, for a request whose `Response` is `[BodyPart]`.
  ///
  /// The parts are in memory: a file, a stream, or what else cannot be written is an error of kind
  /// ``Errand/RequestError/Kind/invalidStub``.
  public static func multipart(
    _ parts: [BodyPart], type: MIMEType = .mixed, boundary: String? = nil, status: HTTPResponse.Status = 200
  ) -> MockAnswer {
    do {
      let body = try RequestBody.multipart(parts, type: type, boundary: boundary).prepared { JSONCoding() }
      guard let document = body.document else {
        throw Refusal("a part of it is not in memory")
      }
      return data(document, contentType: body.contentType, status: status)
    } catch {
      let problem = (error as? Refusal)?.message ?? "\(error)"
      return .failure(TransportError(.invalidStub, "the answer has no document of parts: \(problem)"))
    }
  }

  /// No answer: a transport throws `error`, a server closes the connection.
  public static func failure(_ error: TransportError) -> MockAnswer {
    make(0, contentType: nil, content: .failure(error))
  }

  /// In one piece: byte by byte they take four times as long.
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
  /// With the same bytes for the same value.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}

extension MockAnswer: PrintedByDescription {
  /// The status, the header fields, and what follows them, on one line; secrets hidden by ``/Errand/Redaction/standard``, bytes counted.
  ///
  /// Such as `200 OK, Content-Type: application/json, 8 bytes`. A fault stands behind, or alone where no head comes: `connection refused`.
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

/// Answers that fail as networks do, the same on a ``MockTransport`` and on a ``MockServer``.
extension MockAnswer {
  /// An answer that fails: `.fault(.reset)`.
  ///
  /// A fault in a body has one of zero bytes, one byte longer than what comes of it.
  public static func fault(_ fault: AnswerFault) -> MockAnswer {
    data(Data(count: fault.bodyLength.map { min($0, 1 << 24) + 1 } ?? 0)).fault(fault)
  }

  /// This answer, but it fails: `.json(#"{"id":7}"#).fault(.truncated(after: 3))`.
  public func fault(_ fault: AnswerFault) -> MockAnswer {
    var copy = self
    copy.fault = fault
    return copy
  }
}

/// Bodies in the content coding gzip (RFC 9110 section 8.4.1.3), sound and broken.
extension MockAnswer {
  /// This answer with its body in gzip and the field that says so; nothing is made smaller.
  ///
  /// A ``MockTransport`` decodes it as the platform's transport does, within the ``/Errand/TransferLimits``: the agent gets the body of
  /// before, and the head as it was sent, with the length of the coded bytes. A `Content-Encoding` of your own is left alone there, and the
  /// body is taken for one that was decoded already.
  public func gzipped() -> MockAnswer {
    var copy = editingBody { $0 = Gzip.stored($0) }.header("Content-Encoding", "gzip")
    copy.isCoded = true
    return copy
  }

  /// This answer with another body, whose length is promised in its head: `.gzipped().editingBody { $0.removeLast(4) }` is a coding cut
  /// short in a body that is complete.
  ///
  /// The chunks of a body in chunks become one; an answer without head and body of its own stays as it is.
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

  /// A decompression bomb: an answer in gzip that becomes so many zero bytes, about 150 times its size; none where `size` is below zero.
  ///
  /// It is made while it is sent, and has no fixed length: its end is the end of the connection.
  public static func bomb(_ size: Int) -> MockAnswer {
    let (size, unit) = (max(size, 0), 258 * 256 + 1)
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
    return .raw(
      .send(head), .send(Gzip.zeros(unit), times: size / unit), .send(Gzip.zeros(size % unit)), .closeNotify,
      .close)
  }
}

/// Parts of an answer, for a client that asks for a range (RFC 9110 section 14).
extension MockAnswer {
  /// This answer with ranges: who asks for one with `Range` gets that part of the body alone.
  ///
  ///     Stub(.get, "/image.iso", answers: .data(image).header("ETag", "\"v1\"").acceptingRanges())
  ///
  /// It is for a `GET` and an answer of status 200, which says `Accept-Ranges: bytes` unless it has that field. `bytes=a-`, `bytes=a-b` and
  /// `bytes=-n` get status 206 with a `Content-Range`; one that begins behind the end gets 416 with the length. Where `If-Range` names
  /// another `ETag` or `Last-Modified` than the answer's, or a weak one, the whole is sent (RFC 9110 section 13.1.5); and so it is where
  /// several ranges are asked for, a unit besides bytes, or what cannot be read.
  ///
  /// What counts bytes of a body, such as ``AnswerFault/truncated(after:)``, counts those of the part.
  public func acceptingRanges() -> MockAnswer {
    var copy = self
    copy.acceptsRanges = true
    if !headers.contains("Accept-Ranges") { copy.headers.add("Accept-Ranges", "bytes") }
    return copy
  }

  /// The answer to one request: itself, or the part that is asked for, after the wait that was drawn.
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
