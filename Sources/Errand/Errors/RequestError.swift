public import Foundation

/// The error of a failed dispatch, group or other operation.
public struct RequestError: Error, Sendable {
  /// The limit of body bytes in the ``response`` of a dispatch's error: 64 KiB.
  public static let bodyLimit = 65_536

  /// The kind of failure.
  public var kind: Kind
  /// The stage of the failure.
  public var stage: Stage
  /// The problem, as a clause.
  public var reason: String
  /// The last request; `nil` if unknown.
  public var request: HTTPRequest?
  /// The response, if any; usually with at most ``bodyLimit`` bytes of the body.
  public var response: HTTPResponse?
  /// The number of started attempts; usually 0 outside of a dispatch.
  public var attempts: Int
  /// The time since the start of the dispatch or group, on the agent's clock; otherwise usually zero.
  public var elapsed: Duration
  /// The original error, if any.
  public var cause: (any Error)?
  /// True if a spent ``RetryBudget`` prevented a retry.
  public var isOverRetryBudget: Bool { retryObstacle == .budget }

  var retryObstacle: RetryObstacle?
  /// The exceeded time limit of a decoded error, which has no ``cause``.
  var recordedLimit: TimeLimit?

  var passedLimit: TimeLimit? { recordedLimit ?? (cause as? TransportError)?.passedLimit }

  var failedMembers: (any AnyObject & CustomStringConvertible & Sendable)?

  /// The number of body bytes read, in the error of a stream, a download or an `AttemptReport`.
  var streamedLength: Int?

  var hasUnreadBody = false

  /// True if headers, trailers or credentials were withheld from an untrusted origin, without a redirect.
  var lacksTrust = false

  /// A sentence about an invalid `Location`, or about contradictory `Location` headers.
  var locationFault: String?

  var isElementFailure = false

  var redaction: Redaction

  /// The ``RequestError/report``, by reference because a report contains errors.
  var account: (any AnyObject & Sendable)?

  var link = RedactionSource()
  /// True if the error belongs to the dispatch in ``link``.
  var isOfDispatch = false

  /// Creates an error.
  public init(
    _ kind: Kind, _ reason: String, stage: Stage = .filter, request: HTTPRequest? = nil,
    response: HTTPResponse? = nil, attempts: Int = 0, elapsed: Duration = .zero,
    cause: (any Error)? = nil, redaction: Redaction = .standard
  ) {
    self.kind = kind
    self.stage = stage
    self.reason = reason
    self.request = request
    self.response = response
    self.attempts = attempts
    self.elapsed = elapsed
    self.cause = cause
    self.redaction = redaction
  }

  /// Returns the first cause of a type, including the causes of nested request errors.
  public func cause<E: Error>(as type: E.Type = E.self) -> E? {
    (cause as? E) ?? (cause as? RequestError)?.cause(as: type)
  }

  /// The kind of a failure; hooks and validators may add kinds.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    /// The name, such as `timedOut`.
    public let name: String

    /// Creates a kind with a name of your own.
    public init(_ name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// The URL is not usable.
    public static let invalidURL = Kind("invalidURL")
    /// The agent's ``DestinationPolicy`` forbids the URL or the address of the host.
    public static let destination = Kind("destination")
    /// A part of the request or a setting is invalid.
    public static let invalidRequest = Kind("invalidRequest")
    /// The parameters or the body could not be encoded or read, or the body has another length than stated.
    public static let encoding = Kind("encoding")
    /// The transport, the platform or the server does not support a requested feature.
    public static let unsupported = Kind("unsupported")
    /// A hook, or the code of a group, threw an error.
    public static let hook = Kind("hook")
    /// No usable credentials were available, or a proxy requires valid credentials.
    public static let authentication = Kind("authentication")
    /// A host name could not be resolved.
    public static let nameNotResolved = Kind("nameNotResolved")
    /// The connection could not be established.
    public static let connectionFailed = Kind("connectionFailed")
    /// The connection broke, or the server aborted the request.
    public static let connectionLost = Kind("connectionLost")
    /// A secure connection could not be established.
    public static let secureConnectionFailed = Kind("secureConnectionFailed")
    /// A timeout passed, or the response was slower than ``TransferLimits/minimumThroughput``.
    public static let timedOut = Kind("timedOut")
    /// A redirect cannot be followed or accepted.
    public static let redirect = Kind("redirect")
    /// The deadline of the dispatch passed; see ``Request/deadline``.
    public static let deadlineExceeded = Kind("deadlineExceeded")
    /// The response exceeded a limit.
    public static let limitExceeded = Kind("limitExceeded")
    /// The response was invalid or unusable.
    public static let invalidResponse = Kind("invalidResponse")
    /// The body is damaged.
    public static let corruptBody = Kind("corruptBody")
    /// The transport failed for a reason without its own kind, or a streamed body was read twice.
    public static let transport = Kind("transport")
    /// The ``CircuitBreaker`` of the agent refused the attempt.
    public static let circuitOpen = Kind("circuitOpen")
    /// The queue of the origin was full; see ``AgentConfiguration/maxWaitingPerOrigin``.
    public static let queueFull = Kind("queueFull")
    /// The agent refused the dispatch; see ``RequestAgent/drain(within:)``.
    public static let drained = Kind("drained")
    /// A validator, the authenticator or a background session refused the status.
    public static let status = Kind("status")
    /// A validator refused the content type.
    public static let contentType = Kind("contentType")
    /// The body was not JSON of the expected shape.
    public static let jsonShape = Kind("jsonShape")
    /// A validator refused the response; the default of a ``Refusal``.
    public static let validation = Kind("validation")
    /// The response could not be decoded.
    public static let decoding = Kind("decoding")
    /// A file could not be used.
    public static let file = Kind("file")
    /// The cache had no usable response; see ``RequestError/cacheMiss``.
    public static let notCached = Kind("notCached")
    /// The sequence of pages could not continue.
    public static let pagination = Kind("pagination")
    /// The dispatch or the group was cancelled.
    ///
    /// A cancelled calling task usually receives a `CancellationError` instead.
    public static let cancelled = Kind("cancelled")
  }

  /// The response of a proxy that refused the request or a tunnel (RFC 9110 section 9.3.6), if any.
  public var proxyResponse: HTTPResponse? { cause(as: TransportError.self)?.proxyResponse }

  /// The authentication challenges of ``proxyResponse``, if any; otherwise of ``response``.
  public var challenges: [HTTPResponse.Challenge] { (proxyResponse ?? response)?.challenges ?? [] }

  /// The status of the response, if any.
  public var status: HTTPResponse.Status? { response?.status }

  /// True if the kind is ``Kind/cancelled``.
  public var isCancelled: Bool { kind == .cancelled }

  /// True if the kind is ``Kind/timedOut`` or ``Kind/deadlineExceeded``.
  public var isTimeout: Bool { kind == .timedOut || kind == .deadlineExceeded }

  /// True for `nameNotResolved`, `connectionFailed`, `connectionLost` and `timedOut`.
  public var isConnectionFailure: Bool {
    [.nameNotResolved, .connectionFailed, .connectionLost, .timedOut].contains(kind)
  }

  var hint: String? {
    if let retryObstacle { return retryObstacle.advice }
    return switch kind {
    case .status: status.flatMap(hint(for:))
    case .deadlineExceeded where stage == .hostSlot:
      "The request waited for other requests to the same host. Raise maxRequestsPerOrigin, the priority of the request, or deadline."
    case .deadlineExceeded where stage == .serialGate:
      "The request waited for other serial requests. Raise deadline, or set a deadline on the other serial requests too."
    case .decoding where isElementFailure: Advice.beyondExcerpt.text
    case .decoding where response?.body.allSatisfy(ASCII.isWhitespace) == true: Advice.emptyBody.text
    case .decoding where response.map({ XSSIPrefix.isIn($0.body) }) == true: Advice.prefix.text
    case .connectionLost where (cause as? any Advised)?.advice == .securePort: Advice.securePort.text
    case .connectionLost where attempts > 1: StatusAdvice.afterRetries(attempts)
    case .connectionLost where request?.method.isIdempotent == false:
      "A retryPolicy such as .upTo(2) tries again\(forMethod)."
    case .authentication where proxyResponse != nil: Advice.proxyCredentials
    case .notCached where cacheMiss == .notAnswered:
      "A cache answers only GET and HEAD requests, and no downloads. Send the request with another cachePolicy."
    case .authentication where !(cause is RequestError): "Check the credentials and their renewal."
    case .invalidResponse where !(cause is TransportError):
      "The response contradicts itself or the request. Check the response of the server."
    default: (cause as? any Advised)?.advice?.text ?? Advice.standard[kind]
    }
  }

  private func hint(for status: HTTPResponse.Status) -> String? {
    StatusAdvice(
      status: status, request: request, response: response, challenges: challenges, attempts: attempts,
      lacksTrust: lacksTrust, locationFault: locationFault, redaction: shownRedaction
    ).text
  }

  private var forMethod: String { StatusAdvice.condition(ofRetrying: request) }
}

extension RequestError: PrintedByDescription {
  /// The problem, the request and often a remedy, redacted.
  ///
  /// ```
  /// GET https://api.example.com/users/7 failed: status 503 Service Unavailable is not in 200..<300.
  /// Stage validate, attempt 3, after 4.210 s.
  /// Response: 503 Service Unavailable, text/plain, 21 bytes: "try again in a minute"
  /// Try: 3 attempts were not enough; wait longer between them, or come back later.
  /// ```
  public var description: String {
    let redaction = shownRedaction
    var lines = ["\(clause(by: redaction, keepingLists: true))."]
    lines.append("Stage \(stage)\(attempts > 0 ? ", attempt \(attempts)" : ""), after \(elapsed.seconds).")
    if let failedMembers { lines.append("Member: \(failedMembers).") }
    if let response { lines.append("Response: \(summary(of: response, by: redaction))") }
    if let hint { lines.append("Try: \(hint)") }
    return lines.joined(separator: "\n").printed
  }

  var clause: String { clause(by: shownRedaction) }

  private func clause(by redaction: Redaction, keepingLists: Bool = false) -> String {
    let text = redaction.text(reason)
    return
      "\(subject(by: redaction)) failed: \(keepingLists ? Self.list(text) ?? text.onOneLine : text.onOneLine)"
  }

  private func subject(by redaction: Redaction) -> String {
    request.map { "\($0.method) \(redaction.url($0.url))" } ?? (isOfDispatch ? link.endpoint : nil)
      ?? "The request"
  }

  var subject: String { subject(by: shownRedaction).printed }

  /// Returns a numbered list with indented items; `nil` for a different text.
  private static func list(_ text: String) -> String? {
    let lines = text.split(whereSeparator: \.isNewline)
    let items = lines.dropFirst()
    let isList = !items.isEmpty && zip(1..., items).allSatisfy { $1.hasPrefix("\($0). ") }
    return isList ? lines.joined(separator: "\n  ") : nil
  }

  /// The redaction for texts about the error; also hides the credentials of the request.
  var shownRedaction: Redaction {
    let redaction = link.own ?? redaction
    return request.map(redaction.hidingCredentials) ?? redaction
  }

  private func summary(of response: HTTPResponse, by redaction: Redaction) -> String {
    let type = response.headers["Content-Type"]
    var parts = [response.status.description]
    if let type { parts.append(redaction.text(type)) }
    if let streamedLength { return (parts + ["\(streamedLength) bytes read"]).joined(separator: ", ") }
    guard !response.body.isEmpty else {
      let isUnread = hasUnreadBody && mayHaveBody(response)
      return (parts + [isUnread ? "body not read" : "no body"]).joined(separator: ", ")
    }
    parts.append("\(response.body.count) bytes")
    let excerpt = redaction.excerpt(
      of: response.body, type: type, length: Redaction.shortExcerpt, isOneLine: true)
    return "\(parts.joined(separator: ", ")): \"\(excerpt)\""
  }
}

extension RequestError {
  /// Returns true unless the response has no body by RFC 9110 (sections 6.4.1 and 15.3.6).
  private func mayHaveBody(_ response: HTTPResponse) -> Bool {
    request?.method != .head && ![204, 205, 304].contains(response.status.code)
      && response.headers["Content-Length"] != "0"
  }
}

extension RequestError: LocalizedError {
  /// The same as ``userDescription``.
  public var errorDescription: String? { userDescription }
}

extension HTTPResponse {
  var shortened: HTTPResponse {
    guard body.count > RequestError.bodyLimit else { return self }
    var response = self
    // Copies, because a slice would retain the whole body.
    response.body = Data(body.prefix(RequestError.bodyLimit))
    return response
  }
}

/// An error of `mockResponse`, `redirectDecision` or a ``ResponderHook``.
struct HookFailure: Error {
  let hook: String
  let cause: any Error
}
