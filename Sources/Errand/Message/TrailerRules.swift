/// Which fields may follow a body (RFC 9110 section 6.5.1): none that is needed before it is read.
enum TrailerRules {
  /// Why trailers may not be sent, as a clause; `nil` when all may.
  static func problem(of trailers: RequestTrailers) -> String? {
    // Names that are announced promise fields.
    problem(of: trailers.fields)
      ?? problem(of: HTTPHeaders(trailers.names.map { HTTPHeaders.Field(name: $0, value: "") }))
  }

  /// The same of fields that were computed.
  static func problem(of fields: HTTPHeaders) -> String? {
    for field in fields.fields {
      if let problem = HTTPHeaders.problem(ofLine: field, "trailer") { return problem }
      if let reason = reason(against: field.name.lowercased()) {
        return "the field \(field.name) cannot be a trailer: \(reason)"
      }
    }
    return nil
  }

  /// Why a field of that name, in small letters, cannot be one.
  private static func reason(against name: String) -> String? {
    if name.hasPrefix("proxy-") { return "it is for a proxy" }
    return reasons.first { $0.names.contains(name) }?.text
  }

  private static let reasons: [(names: Set<String>, text: String)] = [
    (["transfer-encoding", "content-length", "trailer"], "it frames the message"),
    (["host"], "it routes the request"),
    (["connection", "keep-alive", "upgrade", "http2-settings", "te"], "it is for one connection"),
    (
      [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "expect",
        "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "max-forwards", "pragma",
        "range",
      ], "it says how the request is to be handled"
    ),
    (["authorization", "cookie", "set-cookie", "www-authenticate"], "it has credentials"),
    (["content-encoding", "content-range", "content-type"], "it says how the body is to be read"),
  ]
}
