/// The rules for trailer fields (RFC 9110 section 6.5.1): fields needed before reading the body are
/// forbidden.
enum TrailerRules {
  /// Returns the reason why trailers must not be sent, as a clause; `nil` for valid trailers.
  static func problem(of trailers: RequestTrailers) -> String? {
    // Announced names promise fields.
    problem(of: trailers.fields)
      ?? problem(of: HTTPHeaders(trailers.names.map { HTTPHeaders.Field(name: $0, value: "") }))
  }

  /// Returns the reason for computed fields.
  static func problem(of fields: HTTPHeaders) -> String? {
    for field in fields.fields {
      if let problem = HTTPHeaders.problem(ofLine: field, "trailer") { return problem }
      if let reason = reason(against: field.name.lowercased()) {
        return "the field \(field.name) cannot be a trailer: \(reason)"
      }
    }
    return nil
  }

  /// Returns the reason why a field name, in lower case, is no valid trailer.
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
