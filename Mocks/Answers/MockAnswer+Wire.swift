public import Errand
public import Foundation

/// Answers of a broken or hostile ``MockServer``.
///
/// In a ``MockTransport``, these answers fail with ``/Errand/RequestError/Kind/unsupported``, except for
/// ``trailers(_:)`` and ``informational(_:headers:)``.
extension MockAnswer {
  /// The position at which ``cut(_:after:by:)`` starts to count bytes.
  public enum Part: Sendable {
    /// The first byte of the answer.
    case answer
    /// The first byte after the head; bytes of the chunked encoding count. In a raw answer, the same as
    /// `answer`.
    case body
  }

  /// Returns an answer of steps, without a generated head or body.
  ///
  /// Without ``AnswerStep/close`` as the last step, the connection may stay open.
  public static func raw(_ steps: AnswerStep...) -> MockAnswer { raw(steps) }

  /// Returns an answer from a list of steps.
  public static func raw(_ steps: [AnswerStep]) -> MockAnswer {
    MockAnswer(status: 0, headers: [:], content: .steps(steps))
  }

  /// Returns this answer, cut `count` bytes after the start of `part` and followed by `step`.
  public func cut(_ part: Part = .answer, after count: Int, by step: AnswerStep = .close) -> MockAnswer {
    editing { script in
      let start = part == .body ? script.bodyStart : 0
      let kept = max(count, 0)
      script.cut(after: kept > .max - start ? .max : start + kept, by: step)
    }
  }

  /// Returns this answer in pieces of at most `count` bytes, with a wait of `gap` between the pieces.
  ///
  /// In a raw answer, each send is split separately, and a repeated send is not split.
  public func dripping(_ count: Int = 1, every gap: Duration) -> MockAnswer {
    editing { $0.drip(max(count, 1), every: gap) }
  }

  /// Returns this answer with further steps after its end.
  ///
  /// The steps are not performed if the answer has already closed or stalled the connection.
  ///
  /// `.then(.close)` closes the idle connection. `.then(.awaitNextRequest, .close)` reads the next request,
  /// and closes the connection without an answer.
  public func then(_ steps: AnswerStep...) -> MockAnswer {
    editing { $0.afterwards += steps }
  }

  /// Returns this answer with a status line such as `HTTP/1.1 200`; CR LF is added.
  public func statusLine(_ line: String) -> MockAnswer {
    changing { $0.statusLine = line }
  }

  /// Returns this answer with an unvalidated line after the header fields, such as `Name:value`; CR LF is
  /// added.
  public func headerLine(_ line: String) -> MockAnswer { headerLine(Data(line.utf8)) }

  /// Returns this answer with a line of bytes after the header fields, such as Latin-1 text; CR LF is added.
  public func headerLine(_ line: Data) -> MockAnswer {
    changing { $0.headerLines.append(line) }
  }

  /// Returns this answer with an informational response before the head (RFC 9110 section 15.2).
  public func informational(_ status: HTTPResponse.Status, headers: HTTPHeaders = [:]) -> MockAnswer {
    changing { $0.informational.append((status, headers)) }
  }

  /// Returns this answer with trailers (RFC 9110 section 6.5).
  ///
  /// Trailers need the chunked encoding, so an answer with `Content-Length` or ``unframed()`` usually has
  /// none. HTTP/1.0 clients get no trailers.
  public func trailers(_ fields: HTTPHeaders) -> MockAnswer {
    changing { $0.trailers = fields }
  }

  /// Returns this answer without an added `Content-Length` or `Transfer-Encoding`.
  ///
  /// Without these fields, the body ends when the connection closes (RFC 9112 section 6.3).
  public func unframed() -> MockAnswer {
    changing { $0.isUnframed = true }
  }

  private func editing(_ edit: @escaping WireForm.Edit) -> MockAnswer {
    changing { $0.edits.append(edit) }
  }

  private func changing(_ change: (inout WireForm) -> Void) -> MockAnswer {
    var copy = self
    change(&copy.wire)
    return copy
  }
}

extension MockAnswer {
  var framing: AnswerFraming { AnswerFraming(self) }

  var body: AnswerBody { AnswerBody(content: content, throughput: throughput, fault: fault) }

  func body(
    to request: HTTPRequest, wait: ProgressWait, cancellation: CancellationSignal
  ) throws -> BodyStream {
    switch content {
    case .failure(let error): throw error
    case .steps: throw WireForm.noConnection
    case _ where !framing.sendsBody(to: request.method): return BodyStream(Data())
    case .data(let data) where hasWholeBody: return BodyStream(data)
    case .data, .chunks:
      return BodyStream(
        MockBodySource(
          body.pieces, ending: body.ending(from: request.url, isChunked: framing.sendsChunks, wait: wait),
          summary: TransportSummary(trailers: framing.sendsChunks ? wire.trailers : [:]), wait: wait,
          cancellation: cancellation))
    }
  }

  private var hasWholeBody: Bool {
    isPlain || throughput == nil && fault == nil && wire.trailers.fields.isEmpty
  }
}

struct AnswerFraming {
  private let answer: MockAnswer

  init(_ answer: MockAnswer) { self.answer = answer }

  var headers: HTTPHeaders {
    guard !forbidsBody, !isUnframed, !answer.headers.contains("Content-Length"),
      !answer.headers.contains("Transfer-Encoding")
    else { return answer.headers }
    var framed = HTTPHeaders()
    framed.fields.reserveCapacity(answer.headers.fields.count + 1)
    framed.fields += answer.headers.fields
    if needsChunks {
      framed.add("Transfer-Encoding", "chunked")
    } else if case .data(let data) = answer.content {
      framed.add("Content-Length", String(data.count))
    }
    return framed
  }

  var sendsChunks: Bool {
    let hasLength = answer.headers.contains("Content-Length") && !answer.headers.contains("Transfer-Encoding")
    return !isUnframed && !hasLength && needsChunks
  }

  private var isUnframed: Bool { !answer.isPlain && answer.wire.isUnframed }

  private var needsChunks: Bool {
    if case .chunks = answer.content { return true }
    return !answer.isPlain && !answer.wire.trailers.fields.isEmpty
  }

  func sendsBody(to method: HTTPMethod) -> Bool { method != .head && !forbidsBody }

  private var forbidsBody: Bool {
    answer.status.isInformational || answer.status == 204 || answer.status == 304
  }
}

struct WireForm: Sendable {
  typealias Edit = @Sendable (inout AnswerScript) -> Void

  /// The status line without the line end; `nil`: the standard line.
  var statusLine: String?
  var headerLines: [Data] = []
  var informational: [(status: HTTPResponse.Status, headers: HTTPHeaders)] = []
  var trailers: HTTPHeaders = [:]
  var isUnframed = false
  var edits: [Edit] = []

  private var needsConnection: Bool {
    statusLine != nil || !headerLines.isEmpty || isUnframed || !edits.isEmpty
  }

  func tellInformational(_ handler: (@Sendable (HTTPResponse) -> Void)?) {
    guard let handler else { return }
    for (status, headers) in informational where status != 100 {
      handler(HTTPResponse(status: status, headers: headers))
    }
  }

  func checkNeedsNoConnection() throws {
    if needsConnection { throw Self.noConnection }
  }

  fileprivate static let noConnection = TransportError(
    .unsupported,
    "the answer describes a connection, and a mock transport has no connections: use a MockServer")
}
