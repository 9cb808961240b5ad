extension RequestError {
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
    /// The method, a header name or a header value cannot be sent, or frames the message.
    public static let invalidRequest = Kind("invalidRequest")
    /// The parameters or the body could not be encoded.
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
    /// A redirect may not be followed: too many, a circle, from https to http, another scheme, or a body that cannot
    /// be sent again.
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
    /// The next page may not be fetched: it was there before, is of another origin, or its URL cannot be read.
    public static let pagination = Kind("pagination")
    /// The dispatch was cancelled by its handle or by the agent.
    public static let cancelled = Kind("cancelled")
  }

  /// The status of the response, if there was one.
  public var status: HTTPStatus? { response?.status }

  /// Whether the dispatch was cancelled by its handle or by the agent.
  public var isCancelled: Bool { kind == .cancelled }

  /// Whether a time ran out: of an attempt, or of the whole dispatch.
  public var isTimeout: Bool { kind == .timedOut || kind == .deadlineExceeded }

  /// Whether the network failed: no name, no connection, a broken one, or no progress in time.
  public var isConnectionFailure: Bool {
    [.nameNotResolved, .connectionFailed, .connectionLost, .timedOut].contains(kind)
  }
}
