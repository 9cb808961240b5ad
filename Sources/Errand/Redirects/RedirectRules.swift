import Foundation

/// The rules of redirects (RFC 9110 section 15.4).
struct RedirectRules: Sendable {
  let limit: Int
  /// A closure, because only a redirect to another origin needs the redaction.
  private let confidential: @Sendable () -> Redaction

  init(limit: Int, redaction: @autoclosure @escaping @Sendable () -> Redaction) {
    self.limit = limit
    confidential = redaction
  }

  /// Returns the URL to follow; `nil` if no redirect is to follow, or if the `Location` is invalid.
  func target(of response: HTTPResponse, to sent: URL) -> URL? {
    guard limit > 0, response.status.isFollowedRedirect, let location = Self.location(of: response) else {
      return nil
    }
    return try? URLParts(absolute: sent.absoluteString)?.resolve(location)
  }

  /// Returns the `Location`; `nil` if absent, or if several `Location` fields disagree.
  static func location(of response: HTTPResponse) -> String? {
    let locations = Set(response.headers.values(for: "Location"))
    return locations.count == 1 ? locations.first : nil
  }

  /// Describes the fault in a redirect's `Location`; returns `nil` without a fault or a `Location`.
  static func fault(of response: HTTPResponse, to sent: URL) -> String? {
    let locations = response.headers.values(for: "Location")
    guard response.status.isFollowedRedirect, let location = locations.first else { return nil }
    guard Set(locations).count == 1 else {
      return "The \(locations.count) Location headers of the redirect disagree."
    }
    do throws(Refusal) {
      _ = try URLParts(absolute: sent.absoluteString)?.resolve(location)
      return nil
    } catch {
      return "The Location \(URLParts.shown(location)) of the redirect is invalid: \(error.message)."
    }
  }

  /// Returns the next request, for the redirect to `target`.
  ///
  /// `built` is the redirected request before the `filterRequest` hooks, and `sent` the request as sent.
  func next(
    after status: HTTPResponse.Status, _ built: HTTPRequest, sent: HTTPRequest, to target: URL
  ) -> HTTPRequest {
    var next = built
    next.url = target
    if changesMethodToGet(sent.method, after: status) {
      if sent.method != .head { next.method = .get }
      next.body = .none
      next.trailers = .none
      next.headers.fields.removeAll { Self.describesBody($0.name) }
    }
    if !Origin.same(sent.url, target) {
      removeSensitiveHeaders(next.headers, in: &next.headers)
      removeSensitiveTrailers(in: &next)
    }
    return next
  }

  func removeSensitiveTrailers(in next: inout HTTPRequest) {
    guard !next.trailers.isEmpty else { return }
    let (before, redaction) = (next.trailers, confidential())
    next.trailers = before.filtered { Self.mayCrossOrigins($0, redaction: redaction) }
    next.announceTrailers(inPlaceOf: before)
  }

  /// Removes sensitive fields that are in `carried`.
  ///
  /// Other fields stay, because a hook may have set the fields for the new origin.
  func removeSensitiveHeaders(_ carried: HTTPHeaders, in headers: inout HTTPHeaders) {
    Self.removeSensitiveHeaders(carried, in: &headers, redaction: confidential())
  }

  static func removeSensitiveHeaders(
    _ carried: HTTPHeaders, in headers: inout HTTPHeaders, redaction: Redaction
  ) {
    headers.fields.removeAll { field in
      !mayCrossOrigins(field, redaction: redaction)
        && carried.values(for: field.name).contains(field.value)
    }
  }

  static func leftBehind(of built: HTTPRequest, by next: HTTPRequest) -> [String] {
    let headers = built.headers.fields.map(\.name).filter { !next.headers.contains($0) && !describesBody($0) }
    // If the change of method removed the body, the trailers are not listed.
    guard !built.trailers.isEmpty, !next.body.isEmpty || built.body.isEmpty else { return headers }
    return headers + built.trailers.names.filter { !next.trailers.names.contains($0) }
  }

  /// Returns true if another origin may receive a field.
  ///
  /// Only listed names and prefixes are allowed, because services choose the names of keys and sessions
  /// freely.
  static func mayCrossOrigins(_ field: HTTPHeaders.Field, redaction: Redaction) -> Bool {
    isHarmless(field.name.lowercased()) && !redaction.mustNotLeaveOrigin(field.name)
      && redaction.hidingValues(field.value) == field.value
  }

  private static func isHarmless(_ name: String) -> Bool {
    harmlessNames.contains(name) || uploadPrefixes.contains { name.hasPrefix($0) }
  }

  /// The prefixes of upload headers in tus 1.0.0, the IETF draft and Google's protocol.
  private static let uploadPrefixes = ["tus-", "upload-", "x-goog-upload-"]

  /// The names of headers without secrets, such as preferences and conditions (RFC 9110 sections 12 and 13).
  private static let harmlessNames: Set = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-digest",
    "content-disposition", "content-encoding", "content-language", "content-range", "content-type", "date",
    "digest", "expect", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
    "pragma", "prefer", "priority", "range", "repr-digest", "te", "trailer", "user-agent",
  ]

  /// Throws if the redirect must not be followed.
  ///
  /// A URL may repeat within the limit, because a server may redirect until a result is ready or a cookie is
  /// set.
  func check(_ next: HTTPRequest, after status: HTTPResponse.Status, from sent: URL, visited: [URL])
    throws(Refusal)
  {
    try checkScheme(of: next.url, from: sent)
    if visited.count > limit {
      let counted = limit == 1 ? "1 redirect was" : "\(limit) redirects were"
      throw refusal("\(counted) followed, and the server sent another\(returns(visited + [next.url]))")
    }
    if !next.body.isReplayable {
      throw refusal("status \(status.code) requires the body again, but the body can be produced only once")
    }
  }

  private func returns(_ visited: [URL]) -> String {
    var counts: [String: Int] = [:]
    let again = visited.filter { url in
      counts[url.absoluteString, default: 0] += 1
      return counts[url.absoluteString] == 2
    }
    guard !again.isEmpty else { return "" }
    let rest = again.count > 3 ? ", and \(again.count - 3) more" : ""
    return "; the redirects repeat " + again.prefix(3).map(shown).joined(separator: ", ") + rest
  }

  func checkScheme(of target: URL, from sent: URL) throws(Refusal) {
    let (old, new) = (sent.scheme?.lowercased(), target.scheme?.lowercased())
    guard new == "http" || new == "https" else {
      throw refusal("the redirect to \(shown(target)) is refused: only http and https are followed")
    }
    if old == "https", new == "http" {
      throw refusal(
        "the redirect from https to \(shown(target)) is refused: the request would not be encrypted")
    }
  }

  private func shown(_ url: URL) -> String { URLParts.shown(url.absoluteString) }

  private func refusal(_ message: String) -> Refusal { Refusal(message, kind: .redirect) }

  /// Returns true if a redirect drops the body and turns the method into GET; HEAD stays HEAD.
  ///
  /// After 301 and 302, only POST becomes GET, by convention (RFC 9110 sections 15.4.2 and 15.4.3).
  private func changesMethodToGet(_ method: HTTPMethod, after status: HTTPResponse.Status) -> Bool {
    status.code == 303 || (method == .post && [301, 302].contains(status.code))
  }

  static func describesBody(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("content-") || ["digest", "repr-digest", "trailer", "expect"].contains(name)
  }
}

extension HTTPResponse.Status {
  var isFollowedRedirect: Bool {
    switch code {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }
}
