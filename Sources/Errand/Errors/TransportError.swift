/// The error of a transport.
public struct TransportError: Advised, Sendable, Hashable {
  /// The kind of failure.
  ///
  /// The resulting ``RequestError`` has the same kind.
  public var kind: RequestError.Kind
  /// The problem as a clause without a full stop: `the connection was refused`.
  public var message: String
  /// The error number of the underlying library, such as a `CURLcode`; `nil` without a number.
  public var code: Int?
  /// The response of a proxy that refused a tunnel; `nil` for other failures.
  public var proxyResponse: HTTPResponse?
  /// The reason for an error of kind ``RequestError/Kind/notCached``; `nil` for other kinds.
  var cacheMiss: RequestError.CacheMiss?
  /// The exceeded time limit of an error of kind ``RequestError/Kind/timedOut``; `nil` without a specific
  /// limit.
  var passedLimit: TimeLimit?
  /// Advice for the developer that is more specific than the advice for the kind; `nil` without such advice.
  var advice: Advice?

  /// Creates an error with a kind, a message and an optional error number.
  public init(_ kind: RequestError.Kind, _ message: String, code: Int? = nil) {
    self.kind = kind
    self.message = message
    self.code = code
  }

  /// The message, followed by the code if present.
  package var clause: String { code.map { "\(message) (code \($0))" } ?? message }

  /// The error of a transport after its ``TransportRequest/cancellation`` fired.
  public static let cancelled = TransportError(.cancelled, "the request was cancelled")

  /// Returns the error for an exceeded limit; `what` is a clause that ends with `than`.
  static func exceeded(_ what: String, limit: String, value: Int, unit: String = "") -> TransportError {
    TransportError(.limitExceeded, "\(what) limits.\(limit), \(value)\(unit.isEmpty ? "" : " " + unit)")
  }

  /// True if the network failed or the server did not respond in time, so that a stored response may replace
  /// the failure.
  var isOfNetwork: Bool {
    [.nameNotResolved, .connectionFailed, .connectionLost, .secureConnectionFailed, .timedOut, .transport]
      .contains(kind)
  }

  /// Returns the error for an exceeded time limit of ``TransferLimits``.
  static func passed(_ limit: TimeLimit, of duration: Duration) -> TransportError {
    var error = TransportError(
      .timedOut, "\(limit.clause) within limits.\(limit)Timeout, \(duration.secondsText)")
    error.passedLimit = limit
    return error
  }

  /// Returns the error for a non-idempotent request that was lost with a reused connection.
  static func mayHaveArrived(_ method: HTTPMethod) -> TransportError {
    TransportError(
      .connectionLost,
      "the server closed a reused connection without an answer; the server may have received the \(method), so the"
        + " \(method) was not sent again")
  }

  /// Returns the error for an idempotent request that was lost with a second connection.
  static func lostAgain(_ method: HTTPMethod) -> TransportError {
    TransportError(
      .connectionLost,
      "the server closed two reused connections without an answer, so the \(method) was not sent a third time"
    )
  }

  /// Returns the error for a request whose HTTP/2 stream the server refused `count` times.
  static func refusedStream(by peer: String, count: Int) -> TransportError {
    TransportError(
      .connectionLost, "\(peer) refused the HTTP/2 stream of the request\(count > 1 ? " \(count) times" : "")"
    )
  }

  /// Returns the error for a request on a refused HTTP/2 stream whose body was partly read.
  static func refusedBody(by peer: String) -> TransportError {
    TransportError(
      .connectionLost, "\(peer) refused the HTTP/2 stream, and the body of the request cannot be sent again")
  }

  /// Returns the error for a response body longer than `limit` bytes.
  static func bodyTooLong(_ limit: Int) -> TransportError {
    exceeded("the body is longer than", limit: "bodySize", value: limit, unit: "bytes")
  }
}

extension TransportError: PrintedByDescription {
  /// The message, followed by the code if present.
  ///
  /// Secrets are hidden by ``Redaction/standard``, and control characters are written out.
  public var description: String { Redaction.standard.text(clause).printed }
  /// A mirror that shows only redacted text to `dump`.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind.name, "message": description]) }
}
