/// The error of a transport.
public struct TransportError: Advised, Sendable, Hashable {
  /// The kind of failure.
  public var kind: RequestError.Kind
  /// The problem as a clause without a full stop: `the connection was refused`.
  public var message: String
  /// The error number of the transport's library, such as a `CURLcode`; `nil`: no number.
  public var code: Int?
  /// The response of a proxy that refused a tunnel; otherwise `nil`.
  public var proxyResponse: HTTPResponse?
  var cacheMiss: RequestError.CacheMiss?
  var passedLimit: TimeLimit?
  /// A remedy in place of the remedy for the kind.
  package var advice: Advice?

  /// Creates an error with a kind, a message and an optional error number.
  public init(_ kind: RequestError.Kind, _ message: String, code: Int? = nil) {
    self.kind = kind
    self.message = message
    self.code = code
  }

  /// The message, followed by the code if present.
  package var clause: String { code.map { "\(message) (code \($0))" } ?? message }

  /// The error that a transport throws after its ``TransportRequest/cancellation`` fired.
  public static let cancelled = TransportError(.cancelled, "the request was cancelled")

  /// Returns the error for an exceeded limit; `what` is a clause that ends with `than`.
  package static func exceeded(
    _ what: String, limit: String, value: Int, unit: String = ""
  ) -> TransportError {
    TransportError(.limitExceeded, "\(what) limits.\(limit), \(value)\(unit.isEmpty ? "" : " " + unit)")
  }

  /// True for failures after which the cache may use a stored response.
  var isOfNetwork: Bool {
    [.nameNotResolved, .connectionFailed, .connectionLost, .secureConnectionFailed, .timedOut, .transport]
      .contains(kind)
  }

  static func passed(_ limit: TimeLimit, of duration: Duration) -> TransportError {
    var error = TransportError(
      .timedOut, "\(limit.clause) within limits.\(limit)Timeout, \(duration.secondsText)")
    error.passedLimit = limit
    return error
  }

  package static func mayHaveArrived(_ method: HTTPMethod) -> TransportError {
    TransportError(
      .connectionLost,
      "the server closed a reused connection without an answer; the server may have received the \(method), so the"
        + " \(method) was not sent again")
  }

  static func lostAgain(_ method: HTTPMethod) -> TransportError {
    TransportError(
      .connectionLost,
      "the server closed two reused connections without an answer, so the \(method) was not sent a third time"
    )
  }

  static func refusedStream(by peer: String, count: Int) -> TransportError {
    TransportError(
      .connectionLost, "\(peer) refused the HTTP/2 stream of the request\(count > 1 ? " \(count) times" : "")"
    )
  }

  static func refusedBody(by peer: String) -> TransportError {
    TransportError(
      .connectionLost, "\(peer) refused the HTTP/2 stream, and the body of the request cannot be sent again")
  }

  static func bodyTooLong(_ limit: Int) -> TransportError {
    exceeded("the body is longer than", limit: "bodySize", value: limit, unit: "bytes")
  }
}

extension TransportError: PrintedByDescription {
  /// The message, followed by the code if present.
  ///
  /// ``Redaction/standard`` hides secrets.
  public var description: String { Redaction.standard.text(clause).printed }
  /// A mirror that shows only redacted text to `dump`.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind.name, "message": description]) }
}
