/// An error, usually of a transport or the cache.
public struct TransportError: Advised, Sendable, Hashable {
  /// The kind of failure.
  public var kind: RequestError.Kind
  /// The problem as a clause.
  public var message: String
  /// The error number of a library, such as a `CURLcode`.
  public var code: Int?
  /// The response of a proxy that refused the request or a tunnel.
  public var proxyResponse: HTTPResponse?
  var cacheMiss: RequestError.CacheMiss?
  var passedLimit: TimeLimit?
  /// The advice in the description of a `RequestError` with this cause, usually in place of the kind's
  /// advice.
  package var advice: Advice?

  /// Creates an error.
  public init(_ kind: RequestError.Kind, _ message: String, code: Int? = nil) {
    self.kind = kind
    self.message = message
    self.code = code
  }

  package var clause: String { code.map { "\(message) (code \($0))" } ?? message }

  /// The error of a transfer that ``TransportRequest/cancellation`` has cancelled.
  public static let cancelled = TransportError(.cancelled, "the request was cancelled")

  /// Returns the error for an exceeded limit; `what` ends with `than`, as in `the body is longer than`.
  package static func exceeded(
    _ what: String, limit: String, value: Int, unit: String = ""
  ) -> TransportError {
    TransportError(.limitExceeded, "\(what) limits.\(limit), \(value)\(unit.isEmpty ? "" : " " + unit)")
  }

  /// True if the cache may use a stored response after the failure.
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
  /// The redacted message and code.
  public var description: String { Redaction.standard.text(clause).printed }
  /// A redacted mirror.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind.name, "message": description]) }
}
