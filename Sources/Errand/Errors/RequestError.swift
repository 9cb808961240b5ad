public import Foundation

/// The one error a dispatch throws, besides `CancellationError`.
///
/// It knows where the dispatch failed, the request as it was sent, the response if there was one, and the cause.
/// Its text says what happened, to what, and what to try; secrets are hidden in it by the agent's ``Redaction``.
public struct RequestError: Error, Sendable {
  /// How many bytes of a refused response's body are kept: 64 KiB.
  public static let bodyLimit = 65_536

  /// What went wrong.
  public var kind: Kind
  /// The stage that failed.
  public var stage: Stage
  /// What happened, as a clause without a full stop.
  public var reason: String
  /// The request as it was sent, after every hook; `nil` when the failure came before it was built.
  public var request: HTTPRequest?
  /// The response, its body cut after ``bodyLimit``; `nil` when there was none.
  public var response: HTTPResponse?
  /// The number of attempts made, this one included.
  public var attempts: Int
  /// The time from the start of the dispatch until this failure, on the agent's clock.
  public var elapsed: Duration
  /// What was thrown: by a hook, a serializer, a validator or the transport.
  public var cause: (any Error)?
  /// Whether it would have been tried again, and the ``RetryBudget`` of its origin was spent.
  public var isOverRetryBudget: Bool { retryObstacle == .budget }

  /// What kept the dispatch from another attempt that its policy wanted; `nil`: nothing did.
  var retryObstacle: RetryObstacle?
  /// The time limit that passed, in an error that was read from a record: such an error has no ``cause``.
  var recordedLimit: TimeLimit?

  /// The time limit of ``TransferLimits`` that passed; `nil` for other failures.
  var passedLimit: TimeLimit? { recordedLimit ?? (cause as? TransportError)?.passedLimit }

  /// The failed members of a group, of which an error knows only the description; `nil` outside of groups.
  var failedMembers: (any AnyObject & CustomStringConvertible & Sendable)?

  /// The bytes of the body that a stream had handed out; `nil` for a response that is kept whole.
  var streamedLength: Int?

  /// Whether credentials were kept from the origin of the request as it is not a trusted one; see ``AttemptReport/withheld``.
  var lacksTrust = false

  /// Why the `Location` of a redirect leads nowhere, as a sentence; `nil` where it leads somewhere.
  var locationFault: String?

  /// Whether a line or an event of a stream does not fit, which is not among the bytes of the response.
  var isOfElement = false

  /// Hides the secrets in the text.
  var redaction: Redaction

  /// The account of the dispatch, see ``RequestError/report``; behind a reference, as it has errors in it.
  var account: (any AnyObject & Sendable)?

  /// To the dispatch that failed, or the last one of a group, whose values are hidden too.
  var link = RedactionSource()
  /// Whether it is the failure of that dispatch.
  var isOfDispatch = false

  /// Makes an error, as a hook that replaces an outcome may want to.
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

  /// The cause as the type you threw, looking through nested request errors.
  public func cause<E: Error>(as type: E.Type = E.self) -> E? {
    (cause as? E) ?? (cause as? RequestError)?.cause(as: type)
  }

  /// What went wrong.
  ///
  /// The list is open: a hook or a validator may make kinds of its own.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    /// The name, such as `timedOut`.
    public let name: String

    /// Makes a kind; choose a name that is not taken here.
    public init(_ name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// The base URL, the path or the CDN URL does not make a URL that can be served.
    public static let invalidURL = Kind("invalidURL")
    /// The URL leads where the agent's ``DestinationPolicy`` lets nothing go.
    public static let destination = Kind("destination")
    /// The method, a header name or a header value cannot be sent, or frames the message.
    public static let invalidRequest = Kind("invalidRequest")
    /// The parameters or the body could not be encoded, or a file of the body could not be read as it was.
    public static let encoding = Kind("encoding")
    /// The transport cannot do what was asked.
    public static let unsupported = Kind("unsupported")
    /// A hook threw.
    public static let hook = Kind("hook")
    /// The ``Authenticator`` had no credentials to send.
    public static let authentication = Kind("authentication")
    /// The host name could not be resolved.
    public static let nameNotResolved = Kind("nameNotResolved")
    /// No connection could be made.
    public static let connectionFailed = Kind("connectionFailed")
    /// The connection broke before the response was complete.
    public static let connectionLost = Kind("connectionLost")
    /// TLS could not be agreed on, or the certificate was refused.
    public static let secureConnectionFailed = Kind("secureConnectionFailed")
    /// There was no progress for the request's timeout, or a time limit of ``TransferLimits`` was passed.
    public static let timedOut = Kind("timedOut")
    /// A redirect may not be followed: too many, from https to http, another scheme, or a body that cannot be
    /// sent again.
    public static let redirect = Kind("redirect")
    /// The dispatch did not end within its ``Request/deadline``.
    public static let deadlineExceeded = Kind("deadlineExceeded")
    /// More came than a limit of ``TransferLimits`` allows.
    public static let limitExceeded = Kind("limitExceeded")
    /// What came was not an HTTP response, or contradicted itself.
    public static let invalidResponse = Kind("invalidResponse")
    /// The body ended early, or its content coding is broken.
    public static let corruptBody = Kind("corruptBody")
    /// The transport failed in another way.
    public static let transport = Kind("transport")
    /// Nothing was sent, as the ``CircuitBreaker`` of the origin is open.
    public static let circuitOpen = Kind("circuitOpen")
    /// The status was refused.
    public static let status = Kind("status")
    /// The content type was refused.
    public static let contentType = Kind("contentType")
    /// The JSON did not have the shape asked for.
    public static let jsonShape = Kind("jsonShape")
    /// A validator refused the response.
    public static let validation = Kind("validation")
    /// The value could not be made of the response.
    public static let decoding = Kind("decoding")
    /// A file could not be read or written.
    public static let file = Kind("file")
    /// The cache alone was to answer, by ``CachePolicy/cacheOnly``, and has no answer; ``RequestError/cacheMiss`` says why.
    public static let notCached = Kind("notCached")
    /// The next page may not be fetched: it was there before, is of another origin, or its URL cannot be read.
    public static let pagination = Kind("pagination")
    /// The dispatch was cancelled by its handle or by the agent.
    public static let cancelled = Kind("cancelled")
  }

  /// What a proxy answered that made no tunnel to the server (RFC 9110 section 9.3.6); `nil` otherwise.
  public var proxyResponse: HTTPResponse? { cause(as: TransportError.self)?.proxyResponse }

  /// What was asked for by the answer that refused the request, the server's or its proxy's; see ``HTTPResponse/challenges``.
  public var challenges: [HTTPResponse.Challenge] { (proxyResponse ?? response)?.challenges ?? [] }

  /// The status of the response, if there was one.
  public var status: HTTPResponse.Status? { response?.status }

  /// Whether the dispatch was cancelled by its handle or by the agent.
  public var isCancelled: Bool { kind == .cancelled }

  /// Whether a time ran out: of an attempt, or of the whole dispatch.
  public var isTimeout: Bool { kind == .timedOut || kind == .deadlineExceeded }

  /// Whether the network failed: no name, no connection, a broken one, or no progress in time.
  public var isConnectionFailure: Bool {
    [.nameNotResolved, .connectionFailed, .connectionLost, .timedOut].contains(kind)
  }

  /// What to try, in a sentence or two; `nil` where there is nothing to say.
  var hint: String? {
    if let retryObstacle { return retryObstacle.advice }
    return switch kind {
    case .status: status.flatMap(hint(for:))
    case .deadlineExceeded where stage == .hostSlot:
      "It waited for other requests to its host: raise maxRequestsPerOrigin, its priority, or deadline."
    case .deadlineExceeded where stage == .serialGate:
      "It waited for other serial requests: raise deadline, or give those one too."
    case .decoding where isOfElement: Advice.furtherOn.text
    case .decoding where response?.body.allSatisfy(ASCII.isWhitespace) == true: Advice.emptyBody.text
    case .decoding where response.map({ XSSIPrefix.isIn($0.body) }) == true: Advice.prefix.text
    case .connectionLost where (cause as? any Advised)?.advice == .securePort: Advice.securePort.text
    case .connectionLost where request?.method.isIdempotent == false:
      "A retryPolicy such as .upTo(2) tries again\(forMethod)."
    case .authentication where proxyResponse != nil: Advice.proxyCredentials
    case .notCached where cacheMiss == .notAnswered:
      "A cache answers GET and HEAD, and no downloads: send the request under another cachePolicy."
    case .authentication where !(cause is RequestError): "Check the credentials, and what renews them."
    case .invalidResponse where !(cause is TransportError):
      "What the server says does not fit together, or not to what was asked: look at its answer."
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
  /// What happened, to what, and what to try, in up to five lines, and one for each item of a list in the ``reason``;
  /// secrets are hidden.
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

  /// What happened and to what, on one line without a full stop.
  var clause: String { clause(by: shownRedaction) }

  private func clause(by redaction: Redaction, keepingLists: Bool = false) -> String {
    let text = redaction.text(reason)
    return
      "\(subject(by: redaction)) failed: \(keepingLists ? Self.list(text) ?? text.onOneLine : text.onOneLine)"
  }

  /// What failed: the request as it was sent, or what was asked where it came to none.
  private func subject(by redaction: Redaction) -> String {
    request.map { "\($0.method) \(redaction.url($0.url))" } ?? (isOfDispatch ? link.endpoint : nil)
      ?? "The request"
  }

  /// What failed, in a few words on one line.
  var subject: String { subject(by: shownRedaction).printed }

  /// A reason that ends in a numbered list, such as that of the nearest stubs, each item on a line of its own.
  private static func list(_ text: String) -> String? {
    let lines = text.split(whereSeparator: \.isNewline)
    let items = lines.dropFirst()
    let isList = !items.isEmpty && zip(1..., items).allSatisfy { $1.hasPrefix("\($0). ") }
    return isList ? lines.joined(separator: "\n  ") : nil
  }

  /// Its own, with what its dispatch and its request hide.
  var shownRedaction: Redaction {
    let redaction = link.own ?? redaction
    return request.map(redaction.hidingCredentials) ?? redaction
  }

  private func summary(of response: HTTPResponse, by redaction: Redaction) -> String {
    let type = response.headers["Content-Type"]
    var parts = [response.status.description]
    if let type { parts.append(redaction.text(type)) }
    if let streamedLength { return (parts + ["\(streamedLength) bytes read"]).joined(separator: ", ") }
    guard !response.body.isEmpty else { return (parts + ["no body"]).joined(separator: ", ") }
    parts.append("\(response.body.count) bytes")
    let excerpt = redaction.excerpt(
      of: response.body, type: type, length: Redaction.shortExcerpt, isOneLine: true)
    return "\(parts.joined(separator: ", ")): \"\(excerpt)\""
  }
}

extension RequestError: LocalizedError {
  /// The same as ``userDescription``, also through `localizedDescription`.
  public var errorDescription: String? { userDescription }
}

extension HTTPResponse {
  /// With no more of its body than an error keeps.
  var shortened: HTTPResponse {
    guard body.count > RequestError.bodyLimit else { return self }
    var response = self
    // A slice would keep all of it.
    response.body = Data(body.prefix(RequestError.bodyLimit))
    return response
  }
}

/// What a hook threw in a stage that is not its own.
struct HookFailure: Error {
  let hook: String
  let cause: any Error
}
