import ErrandJSON
public import Errand
public import Foundation

/// An answer of a ``MockTransport`` or a ``MockServer``.
///
///     .json(#"{"id":7}"#)
///     .text("late").delayed(by: .milliseconds(200))
///     .fault(.reset)
///     .data(image).header("ETag", "\"v1\"").acceptingRanges()
///
/// The mock adds no `Date` field. The mock usually adds `Content-Length` or `Transfer-Encoding` if neither
/// field is set.
public struct MockAnswer: Sendable {
  enum Content: Sendable {
    case data(Data)
    case chunks([Data], gap: Duration)
    case failure(TransportError)
    case steps([AnswerStep])
  }

  /// The status of the response.
  public var status: HTTPResponse.Status
  /// The header fields in the order of sending; not validated.
  public var headers: HTTPHeaders
  /// The wait before the answer; zero by default.
  ///
  /// A random delay replaces this wait.
  public var delay: Duration = .zero
  var content: Content
  private var rare: Rare?

  /// Returns this answer with a header field added.
  ///
  /// Some single-valued fields, such as `Content-Type` or `ETag`, replace an earlier field of the same name.
  public func header(_ name: String, _ value: String) -> MockAnswer {
    var copy = self
    if Self.singleHeaders.contains(name.lowercased()) { copy.headers[name] = nil }
    copy.headers.add(name, value)
    return copy
  }

  /// `Content-Length` and `Transfer-Encoding` are missing here, so that a test can send these fields twice.
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

  /// Returns this answer with a delay; a ``MockTransport`` waits on its clock, a ``MockServer`` in real time.
  public func delayed(by delay: Duration) -> MockAnswer {
    var copy = self
    copy.delay = delay
    copy.randomDelay = nil
    return copy
  }

  /// Returns this answer with a random delay for each request.
  ///
  /// The delay depends only on the range, the seed and ``ReceivedRequest/number``.
  public func delayed(within range: ClosedRange<Duration>, seed: UInt64) -> MockAnswer {
    var copy = self
    copy.randomDelay = RandomDelay(range: range, seed: seed)
    return copy
  }

  /// Returns this answer with a limited rate of the body.
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

  /// Returns an answer with JSON text, which may be malformed.
  public static func json(_ text: String, status: HTTPResponse.Status = 200) -> MockAnswer {
    data(bytes(of: text), contentType: "application/json", status: status)
  }

  /// Returns an answer with a value encoded as JSON, with sorted keys by default.
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

  /// Returns an answer with a body in chunks and a wait of `gap` between chunks.
  public static func chunks(
    _ chunks: [Data], gap: Duration = .zero, contentType: String? = nil, status: HTTPResponse.Status = 200
  ) -> MockAnswer {
    make(status, contentType: contentType, content: .chunks(chunks.filter { !$0.isEmpty }, gap: gap))
  }

  /// Returns a stream of events (`text/event-stream`), with a wait of `gap` between events.
  ///
  /// With `staysOpen`, the stream stalls after the last event instead of ending.
  public static func events(
    _ events: [ServerSentEvent], gap: Duration = .zero, staysOpen: Bool = false
  ) -> MockAnswer {
    let chunks = events.map { Data($0.wireText.utf8) }
    guard staysOpen else { return .chunks(chunks, gap: gap, contentType: "text/event-stream") }
    let count = chunks.reduce(0) { $0 + $1.count }
    // A fault after the last byte has no effect, so the body has an extra byte.
    return .chunks(chunks + [Data([0x0A])], gap: gap, contentType: "text/event-stream")
      .fault(.stalled(after: count))
  }

  /// Returns an answer with a multipart body, for example for a request whose `Response` is `[BodyPart]`.
  ///
  /// If the body cannot be built, the answer is a failure of kind ``Errand/RequestError/Kind/invalidStub``.
  /// All parts must be in memory.
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

  /// Returns a failure; a ``MockTransport`` throws `error`.
  ///
  /// A ``MockServer`` usually closes the connection. For an error of kind
  /// ``Errand/RequestError/Kind/invalidStub``, the server responds with status 500 and the error's message.
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
  /// A line such as `200 OK, Content-Type: application/json, 8 bytes`, with secrets in header fields hidden.
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
  /// Returns an answer that only causes a fault: `.fault(.reset)`.
  ///
  /// For a fault inside the body, the body is NUL bytes. A fault after more than 16 MiB has no effect.
  public static func fault(_ fault: AnswerFault) -> MockAnswer {
    data(Data(count: fault.bodyLength.map { min($0, 1 << 24) + 1 } ?? 0)).fault(fault)
  }

  /// Returns this answer with a fault.
  ///
  /// A fault before the head, such as ``AnswerFault/reset``, replaces the answer; the delay still applies.
  public func fault(_ fault: AnswerFault) -> MockAnswer {
    var copy = self
    copy.fault = fault
    return copy
  }
}

extension MockAnswer {
  /// Returns this answer with a gzip body (RFC 9110 section 8.4.1.3) and a `Content-Encoding` field.
  ///
  /// The gzip format is used without compression. A ``MockTransport`` usually decodes the body.
  public func gzipped() -> MockAnswer {
    var copy = editingBody { $0 = Gzip.stored($0) }.header("Content-Encoding", "gzip")
    copy.isCoded = true
    return copy
  }

  /// Returns this answer with an edited body; no effect on a raw answer or a failure.
  ///
  /// `.gzipped().editingBody { $0.removeLast(4) }` sends a truncated gzip stream.
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

  /// Returns a decompression bomb for a ``MockServer``: a gzip body that expands to `size` NUL bytes.
  public static func bomb(_ size: Int) -> MockAnswer {
    let (size, unit) = (max(size, 0), 258 * 256 + 1)
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
    return .raw(
      .send(head), .send(Gzip.zeros(unit), times: size / unit), .send(Gzip.zeros(size % unit)), .closeNotify,
      .close)
  }
}

extension MockAnswer {
  /// Returns this answer with support for range requests (RFC 9110 section 14).
  ///
  /// Ranges apply to `GET` and status 200. A range that overlaps the body gets a 206. A range after the end
  /// gets a 416. Several ranges or an invalid range get the whole body. A weak or wrong `If-Range` validator
  /// also gets the whole body.
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

/// Rarely used settings, stored in an object so that copies of an answer are cheap.
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

  init(status: HTTPResponse.Status, headers: HTTPHeaders, content: Content) {
    self.init(status: status, headers: headers, delay: .zero, content: content, rare: nil)
  }

  private var settings: Settings {
    get { rare?.settings ?? Settings() }
    set { rare = Rare(newValue) }
  }

  /// The random delay; `nil`: ``delay`` applies.
  var randomDelay: RandomDelay? {
    get { rare?.settings.randomDelay }
    set { settings.randomDelay = newValue }
  }

  var wire: WireForm {
    get { settings.wire }
    set { settings.wire = newValue }
  }

  /// True if no member of `Settings` was ever set, not even to a default value.
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

  /// True if a ``MockTransport`` decodes the known content codings of the body.
  var isCoded: Bool {
    get { rare?.settings.isCoded ?? false }
    set { settings.isCoded = newValue }
  }

  var acceptsRanges: Bool {
    get { rare?.settings.acceptsRanges ?? false }
    set { settings.acceptsRanges = newValue }
  }

  /// Returns the answer encoded with the JSON coding of a request; `nil`: the coding does not matter.
  var reencoded: (@Sendable (JSONCoding) -> MockAnswer)? {
    get { rare?.settings.reencoded }
    set { settings.reencoded = newValue }
  }
}
