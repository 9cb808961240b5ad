import Foundation

/// The rules for storing responses (RFC 9111 sections 3 and 4.3), as modified by a ``CachePolicy``.
struct StorageRules: Sendable {
  let policy: CachePolicy
  let method: HTTPMethod
  /// See ``CacheRules/headers``.
  let headers: HTTPHeaders
  let refusesStorage: Bool
  let now: Date

  enum Keeping: Sendable {
    case store(CachedResponse)
    /// The reason, as a clause.
    case leave(String)
  }

  /// The reason against storing an error: the error would replace the response for offline use.
  private static let noFailure = "network else cache stores no failure"

  func keep(_ head: HTTPResponse, requested: Date) -> Keeping {
    guard method != .head else { return .leave("an answer to HEAD has no body") }
    if policy.pin != nil { return keepPinned(head, requested: requested) }
    if refusesStorage { return .leave("the request says no-store") }
    let directives = ResponseDirectives(head.headers)
    let status = head.status.code
    if policy.mode == .networkElseCache, status >= 400 { return .leave(Self.noFailure) }
    let isUnderstood = Self.understood.contains(status)
    if directives.mustUnderstand, !isUnderstood {
      return .leave("the response says must-understand and has an unknown status")
    }
    if directives.noStore, !directives.mustUnderstand { return .leave("no-store") }
    if status == 304 { return .leave("a 304 has no body") }
    let part = status == 206 ? part(of: head) : nil
    if status == 206, part == nil { return .leave("the 206 does not have exactly one byte range") }
    let freshness = CacheFreshness(
      status: head.status, headers: head.headers, directives, requested: requested, received: now)
    guard
      freshness.isExplicit || directives.isPublic || directives.isPrivate
        || CacheFreshness.heuristic.contains(status)
    else { return .leave("the status is not cacheable by default, and the server states no lifetime") }
    let isByTheBook = policy.mode == .standard
    if method != .get, isByTheBook, !freshness.isExplicit {
      return .leave("an answer to \(method) needs an explicit lifetime")
    }
    guard
      freshness.lifetime > 0 || !isByTheBook || head.headers.contains("ETag")
        || head.headers.contains("Last-Modified") || isUsableStale(directives)
    else {
      return .leave("the response is stale from the start and has no validator")
    }
    let varied = VariedFields(head.headers)
    if let problem = varied.problem { return .leave(problem) }
    return .store(
      response(of: head, requested: requested, varied: varied, part: part, without: directives.unkeptFields))
  }

  private func isUsableStale(_ directives: ResponseDirectives) -> Bool {
    max(directives.staleWhileRevalidate, directives.staleIfError) > 0
  }

  private func keepPinned(_ head: HTTPResponse, requested: Date) -> Keeping {
    guard head.status.isSuccess, head.status != 206 else {
      return .leave("only a complete, successful response gets a fixed lifetime")
    }
    guard policy.pin.map({ $0.time > 0 }) == true else { return .leave("the fixed lifetime is zero") }
    // Different requests must not share a response, so `Vary` counts despite the fixed lifetime.
    let varied = VariedFields(head.headers)
    if let problem = varied.problem { return .leave(problem) }
    return .store(response(of: head, requested: requested, varied: varied, part: nil, without: []))
  }

  private func response(
    of head: HTTPResponse, requested: Date, varied: VariedFields,
    part: CachedResponse.Part?,
    without unkept: [String]
  ) -> CachedResponse {
    CachedResponse(
      status: head.status, headers: Self.kept(head.headers, without: unkept), requested: requested,
      received: now,
      tags: policy.tags, selectors: varied.names.map { CacheRules.selector($0, in: headers) },
      pin: policy.pin,
      part: part)
  }

  /// The status codes known to the cache, for `must-understand` (RFC 9111 section 5.2.2.3).
  private static let understood: Set<Int> = Set(
    [200, 203, 204, 206, 300, 301, 302, 303, 304, 307, 308, 421, 422, 426]).union(400...417).union(500...505)

  private func part(of head: HTTPResponse) -> CachedResponse.Part? {
    guard let range = ContentRange(of: head), let end = Int(exactly: range.last + 1),
      let first = Int(exactly: range.first), !head.headers.contains("Content-Encoding")
    else { return nil }
    return .init(range: first..<end, total: range.length.flatMap { Int(exactly: $0) })
  }

  // MARK: Omitted headers

  /// The headers for a single connection or a proxy (RFC 9111 section 3.1).
  private static let hopByHop: Set = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "transfer-encoding", "upgrade",
  ]

  private static func kept(_ headers: HTTPHeaders, without unkept: [String]) -> HTTPHeaders {
    let named = headers.values(for: "Connection").flatMap(CacheControl.list) + unkept
    let dropped = hopByHop.union(named.map { $0.lowercased() })
    return HTTPHeaders(headers.fields.filter { !dropped.contains($0.name.lowercased()) })
  }

  // MARK: Updates

  /// Returns the response updated by a 304 (RFC 9111 section 4.3.4); `nil` if the 304 does not fit.
  func updated(_ stored: CachedResponse, by head: HTTPResponse, requested: Date) -> CachedResponse? {
    if let tag = head.headers["ETag"] {
      // A stored response without an entity tag may be older than the response that the server confirmed.
      guard let known = stored.headers["ETag"], CacheConditions.opaque(tag) == CacheConditions.opaque(known)
      else { return nil }
    }
    let varied = VariedFields(head.headers)
    guard varied.problem == nil, varied.folded.isSubset(of: stored.selectors.map { $0.name.lowercased() })
    else { return nil }
    return merged(stored, with: head, requested: requested)
  }

  /// Returns the response updated by a `HEAD` (RFC 9111 section 4.3.5); `nil` for a different status,
  /// length or validator.
  func updated(_ stored: CachedResponse, byHead head: HTTPResponse, requested: Date) -> CachedResponse? {
    // A validator missing from the stored response may belong to a newer representation.
    let isSame = ["ETag", "Last-Modified"].allSatisfy { name in
      head.headers[name].map { $0 == stored.headers[name] } ?? true
    }
    return isSame && hasLength(of: head, like: stored) && head.status == stored.status
      ? merged(stored, with: head, requested: requested) : nil
  }

  private func hasLength(of head: HTTPResponse, like stored: CachedResponse) -> Bool {
    guard let new = head.headers["Content-Length"] else { return true }
    if let part = stored.part { return part.total.map { "\($0)" == new } ?? true }
    if let old = stored.headers["Content-Length"] { return new == old }
    let isCoded = head.headers.contains("Content-Encoding") || stored.headers.contains("Content-Encoding")
    return isCoded || new == "\(stored.body.count)"
  }

  private func merged(_ stored: CachedResponse, with head: HTTPResponse, requested: Date) -> CachedResponse {
    var headers = stored.headers
    headers["Age"] = nil
    let directives = ResponseDirectives(head.headers)
    let news = Self.kept(
      head.headers,
      without: directives.unkeptFields + ["Content-Length", "Content-Encoding", "Content-Range"])
    headers.merge(news)
    // Removes the fields named by `no-cache` (RFC 9111 section 5.2.2.4).
    let excluded = directives.unkeptFields + ResponseDirectives(headers).unkeptFields
    headers = Self.kept(headers, without: excluded)
    return CachedResponse(
      status: stored.status, headers: headers, requested: requested, received: now,
      tags: stored.tags.union(policy.tags), body: stored.body, selectors: stored.selectors, pin: stored.pin,
      part: stored.part)
  }

  static func readableKey(
    of http: HTTPRequest, policy: CachePolicy, partition: @autoclosure () -> String
  ) -> CacheKey? {
    guard http.method == .post, policy.pin == nil, policy.mode != .none else { return nil }
    return CacheKey(http.asGet, policy: policy, partition: partition())
  }

  /// Returns the response to a `POST`, to be stored for `GET` (RFC 9110 section 9.3.3); `nil` if not allowed.
  static func readable(
    _ head: HTTPResponse, to http: HTTPRequest, policy: CachePolicy, requested: Date, now: Date
  ) -> CachedResponse? {
    guard head.status == 200,
      let place = head.headers["Content-Location"].flatMap({ URL(string: $0, relativeTo: http.url) })
    else { return nil }
    guard CacheKey.canonical(place.absoluteURL) == CacheKey.canonical(http.url),
      case .store(let response) = CacheRules(http.asGet, policy: policy, now: now).storage.keep(
        head, requested: requested),
      response.freshness.isExplicit
    else { return nil }
    return response
  }

  func joined(_ stored: CachedResponse, with head: HTTPResponse, requested: Date) -> CachedResponse? {
    guard head.status == 206, let known = stored.part, let range = ContentRange(of: head),
      let total = known.total,
      range.first == Int64(known.range.upperBound), range.last == Int64(total) - 1,
      range.length == Int64(total), !head.headers.contains("Content-Encoding"),
      let tag = head.headers["ETag"], tag == stored.headers["ETag"]
    else { return nil }
    var headers = merged(stored, with: head, requested: requested).headers
    headers["Content-Range"] = nil
    headers["Content-Length"] = "\(total)"
    return CachedResponse(
      status: 200, headers: headers, requested: requested, received: now,
      tags: stored.tags.union(policy.tags),
      body: stored.body, selectors: stored.selectors)
  }
}

extension HTTPRequest {
  var asGet: HTTPRequest {
    var get = self
    (get.method, get.body, get.trailers) = (.get, .none, .none)
    return get
  }
}
