extension HTTPResponse {
  /// A status code (RFC 9110 section 15).
  public struct Status: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The code, such as 404.
    public let code: Int

    /// Creates a status, without a check.
    public init(_ code: Int) { self.code = code }

    /// Creates a status from a literal.
    public init(integerLiteral value: Int) { code = value }

    /// The code and its phrase, if known, such as `404 Not Found`.
    public var description: String { reasonPhrase.map { "\(code) \($0)" } ?? "\(code)" }

    /// True for 100..<200.
    public var isInformational: Bool { (100..<200).contains(code) }
    /// True for 200..<300.
    public var isSuccess: Bool { (200..<300).contains(code) }
    /// True for 300..<400.
    public var isRedirection: Bool { (300..<400).contains(code) }
    /// True for 400..<500.
    public var isClientError: Bool { (400..<500).contains(code) }
    /// True for 500..<600.
    public var isServerError: Bool { (500..<600).contains(code) }

    /// The phrase of the code, such as `Not Found`; `nil` if unknown.
    public var reasonPhrase: String? { Self.phrases[code] }

    private static let phrases: [Int: String] = [
      100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
      200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
      205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 208: "Already Reported",
      226: "IM Used",
      300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
      305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
      400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
      405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
      408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
      412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
      415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
      421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked", 424: "Failed Dependency",
      425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
      431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
      500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
      504: "Gateway Timeout", 505: "HTTP Version Not Supported", 506: "Variant Also Negotiates",
      507: "Insufficient Storage", 508: "Loop Detected", 511: "Network Authentication Required",
    ]
  }
}
