/// Why a transport could not do its work.
public struct TransportError: Advised, Sendable, Hashable {
  /// What kind of failure it is; the ``RequestError`` made of it has the same.
  public var kind: RequestError.Kind
  /// What happened, as a clause without a full stop: `the connection was refused`.
  public var message: String
  /// The number of the underlying library's error, such as a `CCURLcode`; `nil` when there is none.
  public var code: Int?
  /// What a proxy answered that made no tunnel; `nil` otherwise.
  public var proxyResponse: HTTPResponse?
  /// Why the cache had no answer, of the kind ``RequestError/Kind/notCached``; `nil` otherwise.
  var cacheMiss: RequestError.CacheMiss?
  /// The time limit that passed, of the kind ``RequestError/Kind/timedOut``; `nil` otherwise.
  var passedLimit: TimeLimit?
  /// What to try, where the kind alone does not tell.
  var advice: Advice?

  /// Makes an error.
  public init(_ kind: RequestError.Kind, _ message: String, code: Int? = nil) {
    self.kind = kind
    self.message = message
    self.code = code
  }

  /// The message, and the code when there is one.
  var clause: String { code.map { "\(message) (code \($0))" } ?? message }

  /// What a transport throws when its ``TransportRequest/cancellation`` fired.
  public static let cancelled = TransportError(.cancelled, "the request was cancelled")

  /// More than a limit that counts allows; `what` is a clause that ends with `than`.
  static func exceeded(_ what: String, limit: String, value: Int, unit: String = "") -> TransportError {
    TransportError(.limitExceeded, "\(what) limits.\(limit), \(value)\(unit.isEmpty ? "" : " " + unit)")
  }

  /// Whether the server could not be asked, or did not answer in time: what a cache may stand in for.
  var isOfNetwork: Bool {
    [.nameNotResolved, .connectionFailed, .connectionLost, .secureConnectionFailed, .timedOut, .transport]
      .contains(kind)
  }

  /// A time limit of ``TransferLimits`` passed.
  static func passed(_ limit: TimeLimit, of duration: Duration) -> TransportError {
    var error = TransportError(
      .timedOut, "\(limit.clause) within limits.\(limit)Timeout, \(duration.secondsText)")
    error.passedLimit = limit
    return error
  }

  /// A request of a method that is not idempotent was lost with a reused connection.
  static func mayHaveArrived(_ method: HTTPMethod) -> TransportError {
    TransportError(
      .connectionLost,
      "the server closed a reused connection before it answered; the \(method) may have reached it, so it was not"
        + " sent again")
  }

  /// The body of the response grew past `limit` bytes.
  static func bodyTooLong(_ limit: Int) -> TransportError {
    exceeded("the body is longer than", limit: "bodySize", value: limit, unit: "bytes")
  }
}

extension TransportError: PrintedByDescription {
  /// The message, and the code when there is one; secrets hidden by ``Redaction/standard``, and control characters written out.
  public var description: String { Redaction.standard.text(clause).printed }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind.name, "message": description]) }
}
