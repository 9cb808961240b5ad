/// The rules for fields in trailers (RFC 9110 section 6.5.1).
enum TrailerRules {
  static func problem(of trailers: RequestTrailers) -> String? {
    // Of computed fields, only the announced names are known here.
    problem(of: trailers.fields)
      ?? problem(of: HTTPHeaders(trailers.names.map { HTTPHeaders.Field(name: $0, value: "") }))
  }

  static func problem(of fields: HTTPHeaders) -> String? {
    for field in fields.fields {
      if let problem = HTTPHeaders.problem(ofLine: field, "trailer") { return problem }
      if let reason = reason(against: field.name.lowercased()) {
        return "the field \(field.name) cannot be a trailer: \(reason)"
      }
    }
    return nil
  }

  private static func reason(against name: String) -> String? {
    if name.hasPrefix("proxy-") { return "the field is for a proxy" }
    return reasons.first { $0.names.contains(name) }?.text
  }

  private static let reasons: [(names: Set<String>, text: String)] = [
    (["transfer-encoding", "content-length", "trailer"], "the field frames the message"),
    (["host"], "the field routes the request"),
    (["connection", "keep-alive", "upgrade", "http2-settings", "te"], "the field is for one connection"),
    (
      [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "expect",
        "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "max-forwards", "pragma",
        "range",
      ], "the field controls the handling of the request"
    ),
    (["authorization", "cookie", "set-cookie", "www-authenticate"], "the field contains credentials"),
    (["content-encoding", "content-range", "content-type"], "the field describes the body"),
  ]
}
