public import Errand
public import Foundation

/// Answers as a broken or hostile ``MockServer`` gives them.
///
/// A ``MockTransport`` has no connection to break: except for ``trailers(_:)`` and ``informational(_:headers:)``, which every transport
/// knows, it refuses these answers as ``/Errand/RequestError/Kind/unsupported``.
extension MockAnswer {
  /// What ``cut(_:after:by:)`` counts.
  public enum Part: Sendable {
    /// Every byte from the first one of the head.
    case answer
    /// The bytes after the head, chunk sizes included.
    case body
  }

  /// Steps in place of a head and a body: nothing is added, and nothing is checked.
  ///
  /// Without a last step that ends it, the connection stays open for the next request.
  public static func raw(_ steps: AnswerStep...) -> MockAnswer { raw(steps) }

  /// Steps in place of a head and a body, from a list; see ``raw(_:)-(AnswerStep...)``.
  public static func raw(_ steps: [AnswerStep]) -> MockAnswer {
    MockAnswer(status: 0, headers: [:], content: .steps(steps))
  }

  /// This answer up to so many bytes, and then a step in place of the rest.
  ///
  /// - Parameters:
  ///   - part: where the counting starts; a ``raw(_:)-(AnswerStep...)`` answer has no part of its own for the body.
  ///   - count: how many bytes are sent; `.max` sends all.
  ///   - step: what follows: ``AnswerStep/close``, ``AnswerStep/reset``, ``AnswerStep/stall``, or other bytes.
  public func cut(_ part: Part = .answer, after count: Int, by step: AnswerStep = .close) -> MockAnswer {
    editing { script in
      let start = part == .body ? script.bodyStart : 0
      script.cut(after: count > .max - start ? .max : start + count, by: step)
    }
  }

  /// This answer in pieces of so many bytes, with a wait between each two.
  ///
  /// What a step sends more than once stays whole.
  public func dripping(_ count: Int = 1, every gap: Duration) -> MockAnswer {
    editing { $0.drip(max(count, 1), every: gap) }
  }

  /// This answer, complete, and then steps on the open connection: `.then(.close)` closes it while it is idle, and
  /// `.then(.awaitNextRequest, .close)` when the next request has been read.
  public func then(_ steps: AnswerStep...) -> MockAnswer {
    editing { $0.afterwards += steps }
  }

  /// This answer with another status line, such as `HTTP/1.1 200` without a reason phrase; its end is added.
  public func statusLine(_ line: String) -> MockAnswer {
    changing { $0.statusLine = line }
  }

  /// This answer with a line after its header fields, as it is, such as `Name:value`; its end is added.
  public func headerLine(_ line: String) -> MockAnswer { headerLine(Data(line.utf8)) }

  /// This answer with a line of any bytes after its header fields, such as a value in Latin-1; its end is added.
  public func headerLine(_ line: Data) -> MockAnswer {
    changing { $0.headerLines.append(line) }
  }

  /// This answer after an informational one (RFC 9110 section 15.2); called again, after several in that order.
  public func informational(_ status: HTTPResponse.Status, headers: HTTPHeaders = [:]) -> MockAnswer {
    changing { $0.informational.append((status, headers)) }
  }

  /// This answer with fields after its body (RFC 9110 section 6.5), which is therefore sent in chunks.
  ///
  /// Where it has a `Content-Length` of its own, and no `Transfer-Encoding`, they are not sent.
  public func trailers(_ fields: HTTPHeaders) -> MockAnswer {
    changing { $0.trailers = fields }
  }

  /// This answer without the field that frames the body: its end is the end of the connection.
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

/// An answer as a ``MockTransport`` gives it.
extension MockAnswer {
  var body: AnswerBody { AnswerBody(content: content, throughput: throughput, fault: fault) }

  /// The body, to be pulled.
  func body(
    to request: HTTPRequest, wait: ProgressWait, cancellation: CancellationSignal
  ) throws -> BodyStream {
    switch content {
    case .failure(let error): throw error
    case .steps: throw WireForm.noConnection
    case _ where !sendsBody(to: request.method): return BodyStream(Data())
    case .data(let data) where isPlain: return BodyStream(data)
    case .data, .chunks:
      return BodyStream(
        MockBodySource(
          body.pieces, ending: body.ending(from: request.url, isFramed: sendsChunks, wait: wait),
          summary: TransportSummary(trailers: sendsChunks ? wire.trailers : [:]), wait: wait,
          cancellation: cancellation))
    }
  }

  /// Whether a body in one piece is all there is to say.
  private var isPlain: Bool { throughput == nil && fault == nil && wire.trailers.fields.isEmpty }
}

extension MockAnswer {
  /// The headers with the field that frames the body (RFC 9112 section 6), unless one is there.
  var framedHeaders: HTTPHeaders {
    guard !forbidsBody, !wire.isUnframed, !headers.contains("Content-Length"),
      !headers.contains("Transfer-Encoding")
    else { return headers }
    var framed = HTTPHeaders()
    framed.fields.reserveCapacity(headers.fields.count + 1)
    framed.fields += headers.fields
    if sendsChunks {
      framed.add("Transfer-Encoding", "chunked")
    } else if case .data(let data) = content {
      framed.add("Content-Length", String(data.count))
    }
    return framed
  }

  /// Whether the body has the framing of chunks, for a client that knows it.
  ///
  /// An answer with a length of its own has none, unless it says that it has (RFC 9112 section 6.3).
  var sendsChunks: Bool {
    guard !wire.isUnframed, !headers.contains("Content-Length") || headers.contains("Transfer-Encoding")
    else { return false }
    if case .chunks = content { return true }
    return !wire.trailers.fields.isEmpty
  }

  /// Whether the body follows the head (RFC 9112 section 6.3).
  func sendsBody(to method: HTTPMethod) -> Bool { method != .head && !forbidsBody }

  private var forbidsBody: Bool { status.isInformational || status == 204 || status == 304 }
}

/// What an answer says about its form on a connection, beyond what every transport shows.
struct WireForm: Sendable {
  typealias Edit = @Sendable (inout AnswerScript) -> Void

  /// In place of the usual one, without its end.
  var statusLine: String?
  /// Lines after the header fields, without their ends.
  var headerLines: [Data] = []
  var informational: [(status: HTTPResponse.Status, headers: HTTPHeaders)] = []
  var trailers: HTTPHeaders = [:]
  var isUnframed = false
  /// Changes to the finished script, in the order in which they were asked for.
  var edits: [Edit] = []

  /// Whether only a connection can show it, so that a ``MockTransport`` has to refuse the answer.
  ///
  /// Informational heads are told apart by every transport, and trailers are given apart from the head.
  private var needsConnection: Bool {
    statusLine != nil || !headerLines.isEmpty || isUnframed || !edits.isEmpty
  }

  /// Tells the informational responses as a transport does, but for 100, which is the transport's own.
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
    "the answer says what happens on a connection, and a mock transport has none: use a MockServer")
}
