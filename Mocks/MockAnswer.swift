public import Errand
public import Foundation

/// One answer of a ``MockTransport`` or a ``MockServer``.
///
///     .json(#"{"id":7}"#)
///     .status(503).header("Retry-After", "1")
///     .text("late").delayed(by: .milliseconds(200))
///     .json(#"{"id":7}"#).throttled(to: 1000)
///     .fault(.reset)
///     .json(#"{"id":7}"#).fault(.truncated(after: 3))
///
/// The field that frames the body, `Content-Length` or `Transfer-Encoding`, is added unless the answer has one.
/// Nothing else is: no `Date`, no `Server`. An answer to `HEAD`, and one whose status forbids a body, goes without
/// its body.
public struct MockAnswer: Sendable {
  /// What follows the head, or comes in its place.
  enum Content: Sendable {
    case data(Data)
    case chunks([Data], gap: Duration)
    case failure(TransportError)
    case steps([AnswerStep])
  }

  /// The status.
  public var status: HTTPStatus
  /// The header fields, in the order in which they are sent; on a server they are not checked.
  public var headers: HTTPHeaders
  /// How long it is waited before the head is sent; none by default.
  public var delay: Duration = .zero
  var content: Content
  var wire = WireForm()
  /// Bytes of the body a second; `nil` sends them as fast as they are taken.
  var throughput: Int?
  /// How it fails; `nil` when it does not.
  var fault: Fault?
  /// The same for a dispatch that reads JSON by a known coding; `nil` when that makes no difference.
  var remade: (@Sendable (JSONCoding) -> MockAnswer)?

  /// This answer with a field added; one of the same name stays.
  public func header(_ name: String, _ value: String) -> MockAnswer {
    var copy = self
    copy.headers.add(name, value)
    return copy
  }

  /// This answer after a wait: on a transport's clock, or in real time on a server.
  public func delayed(by delay: Duration) -> MockAnswer {
    var copy = self
    copy.delay = delay
    return copy
  }

  /// This answer with its body as slowly as so many bytes a second, in pieces of a tenth of a second or of one byte;
  /// on a transport's clock, or in real time on a server.
  ///
  /// - Parameter throughput: bytes a second, of which one is the least.
  public func throttled(to throughput: Int) -> MockAnswer {
    var copy = self
    copy.throughput = max(throughput, 1)
    return copy
  }
}

extension MockAnswer {
  /// Bytes; without a `contentType` no `Content-Type` is sent.
  public static func data(_ data: Data, contentType: String? = nil, status: HTTPStatus = 200) -> MockAnswer {
    make(status, contentType, .data(data))
  }

  /// JSON as you write it; it may be malformed on purpose.
  public static func json(_ text: String, status: HTTPStatus = 200) -> MockAnswer {
    data(bytes(of: text), contentType: "application/json", status: status)
  }

  /// A value encoded as JSON, with sorted keys unless you give an encoder; a `String` is taken for JSON itself.
  ///
  /// Throws what the encoder throws.
  public static func json(
    _ value: some Encodable, status: HTTPStatus = 200, encoder: JSONEncoder? = nil
  ) throws -> MockAnswer {
    let encoder = encoder ?? JSONEncoder.sorted
    return data(try encoder.encode(value), contentType: "application/json", status: status)
  }

  /// Text in UTF-8, of type `text/plain; charset=utf-8`.
  public static func text(_ text: String, status: HTTPStatus = 200) -> MockAnswer {
    data(bytes(of: text), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// A status without a body.
  public static func status(_ status: HTTPStatus) -> MockAnswer {
    data(Data(), status: status)
  }

  /// A body in chunks, with a wait between each two; empty chunks are left out.
  ///
  /// Without a `contentType` no `Content-Type` is sent. With a `Content-Length` of its own the answer has no framing of
  /// chunks; a client of HTTP/1.0, which knows none, finds the end of the body at the end of the connection.
  public static func chunks(
    _ chunks: [Data], gap: Duration = .zero, contentType: String? = nil, status: HTTPStatus = 200
  ) -> MockAnswer {
    make(status, contentType, .chunks(chunks.filter { !$0.isEmpty }, gap: gap))
  }

  /// No answer: a transport throws `error`, a server closes the connection.
  public static func failure(_ error: TransportError) -> MockAnswer {
    make(0, nil, .failure(error))
  }

  /// In one piece: byte by byte they take four times as long.
  private static func bytes(of text: String) -> Data {
    var text = text
    return text.withUTF8 { Data($0) }
  }

  private static func make(_ status: HTTPStatus, _ contentType: String?, _ content: Content) -> MockAnswer {
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

extension MockAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status, the header fields, and what follows them; secrets hidden by ``/Errand/Redaction/standard``, bytes counted.
  public var description: String {
    let fields = headers.fields.map { "\n\($0)" }.joined()
    let rest =
      switch content {
      case .data(let data): "(\(data.count) bytes)"
      case .chunks(let chunks, _): "(\(chunks.count) chunks, \(chunks.map(\.count).reduce(0, +)) bytes)"
      case .failure(let error): "failure: \(error)"
      case .steps(let steps): "(\(steps.count) steps)"
      }
    return "\(status)\(fields)\n\(rest)"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: description.split(separator: "\n")) }
}
