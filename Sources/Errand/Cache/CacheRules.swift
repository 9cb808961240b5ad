import Foundation

/// The decisions of a cache by RFC 9111, as modified by a ``CachePolicy``.
///
/// A private cache ignores `s-maxage` and `proxy-revalidate`.
struct CacheRules: Sendable {
  let policy: CachePolicy
  let method: HTTPMethod
  /// The headers of the request.
  ///
  /// A `CacheQuestion` leaves out the headers of an authenticator that reports an identity.
  let headers: HTTPHeaders
  private(set) var now: Date
  let asked: RequestDirectives
  let range: RangeQuestion?
  let conditions: CacheConditions?

  enum Decision: Sendable {
    case use(CachedResponse, ExchangeReport.CacheVerdict, refreshes: Bool)
    /// Send the request with conditions, to confirm or to complete the stored response.
    case revalidate(CachedResponse, HTTPHeaders, reason: String)
    /// Send the request; the stored response may replace a failure.
    case fetch(CachedResponse?, reason: String)
    /// Send nothing: fail, or respond with 504 to `only-if-cached`.
    case fail(RequestError.CacheMiss, reason: String)
  }

  init(_ http: HTTPRequest, policy: CachePolicy, now: Date) {
    (self.policy, method, headers, self.now) = (policy, http.method, http.headers, now)
    guard http.headers.fields.contains(where: Self.concernsCaches) else {
      (asked, range, conditions) = (RequestDirectives(), nil, nil)
      return
    }
    asked = RequestDirectives(http.headers)
    range = http.method == .get ? RangeQuestion(http.headers) : nil
    conditions = CacheConditions(http.headers)
  }

  /// Returns true for headers that concern caches; a cheap check that may accept other headers.
  private static func concernsCaches(_ field: HTTPHeaders.Field) -> Bool {
    let name = field.name.utf8
    switch name.first.map(ASCII.lowercased) {
    case UInt8(ascii: "c"): return name.count == 13
    case UInt8(ascii: "p"): return name.count == 6
    case UInt8(ascii: "r"): return name.count == 5
    case UInt8(ascii: "i"): return true
    default: return false
    }
  }

  var variants: VariantQuestion { VariantQuestion(headers, pin: policy.pin) }

  var storage: StorageRules {
    StorageRules(policy: policy, method: method, headers: headers, refusesStorage: asked.noStore, now: now)
  }

  func at(_ date: Date) -> CacheRules {
    var rules = self
    rules.now = date
    return rules
  }

  // MARK: Decisions

  func decide(_ stored: [CachedResponse]) -> Decision {
    let (entry, miss) = select(stored)
    guard let entry else { return none(miss.why, because: miss.reason) }
    if let conditions, conditions.areForServer || !isUsable(entry) {
      return none(.ownConditions, because: "the request has its own conditions")
    }
    if policy.pin != nil { return decideOnPinned(entry) }
    if entry.part != nil, range == nil, policy.mode != .reload || asked.onlyIfCached {
      let isEnough = policy.mode != .cacheOnly && !asked.onlyIfCached
      return isEnough ? ask(entry, because: Self.isPart) : .fail(.part, reason: Self.isPart)
    }
    switch policy.mode {
    case .cacheElseNetwork, .cacheOnly: return use(entry, because: .text(Self.takesAll))
    case .staleWhileRevalidate:
      let reason = unusable(entry)
      return use(
        entry, because: reason.map(ExchangeReport.CacheVerdict.Reason.text) ?? freshFor(entry),
        refreshes: reason != nil)
    case .reload: return .fetch(entry, reason: "the policy reloads")
    case .networkElseCache:
      let isSettled = entry.directives.isImmutable && unusable(entry) == nil
      return isSettled
        ? use(entry, because: .text("the stored response is fresh and immutable"))
        : ask(entry, because: "the policy asks the network first")
    case .standard, .inherited, .none: break
    }
    guard let reason = unusable(entry) else { return use(entry, because: freshFor(entry)) }
    if let stale = usableStale(entry) { return stale }
    if asked.onlyIfCached { return .fail(.expired, reason: reason) }
    return ask(entry, because: reason)
  }

  private static let isPart = "only a part of the response is stored"
  private static let takesAll = "the policy accepts any stored response"

  private func isUsable(_ entry: CachedResponse) -> Bool {
    if policy.pin != nil { return decideOnPinned(entry).isUse }
    switch policy.mode {
    case .reload, .networkElseCache: return false
    case .cacheOnly, .cacheElseNetwork: return entry.part == nil
    default: return entry.part == nil && unusable(entry) == nil
    }
  }

  private func none(_ why: RequestError.CacheMiss, because reason: String) -> Decision {
    asked.onlyIfCached || policy.mode == .cacheOnly
      ? .fail(why, reason: reason) : .fetch(nil, reason: reason)
  }

  private func select(
    _ stored: [CachedResponse]
  ) -> (CachedResponse?, miss: (why: RequestError.CacheMiss, reason: String)) {
    guard !stored.isEmpty else { return (nil, (.nothingStored, "nothing is stored")) }
    let kept = stored.filter { ($0.pin == nil) == (policy.pin == nil) }
    guard !kept.isEmpty else {
      let reason =
        policy.pin == nil
        ? "the stored response has a fixed lifetime" : "no response is stored with a fixed lifetime"
      return (nil, (.otherLifetime, reason))
    }
    var candidates = kept
    if let pin = policy.pin {
      candidates = kept.filter { $0.pin?.scope == pin.scope }
      guard !candidates.isEmpty else { return (nil, (.otherScope, "the stored response has another scope")) }
      candidates.removeAll { $0.pin?.version != pin.version }
      guard !candidates.isEmpty else {
        return (nil, (.otherVersion, "the stored response has another version"))
      }
    }
    candidates.removeAll { !matches($0) }
    guard !candidates.isEmpty else {
      return (nil, (.otherFields, "the stored response is for other request headers (Vary)"))
    }
    candidates.removeAll { !covers($0) }
    guard let newest = candidates.max(by: { Self.isBefore($0, other: $1) }) else {
      return (nil, (.part, "another part of the response is stored"))
    }
    return (newest, (.nothingStored, ""))
  }

  private static func isBefore(_ one: CachedResponse, other: CachedResponse) -> Bool {
    let (date, others) = (date(one), date(other))
    return date == others ? one.part != nil && other.part == nil : date < others
  }

  private static func date(_ response: CachedResponse) -> Date {
    response.headers["Date"].flatMap { HTTPDate.parse($0, now: response.received) } ?? response.received
  }

  func matches(_ response: CachedResponse) -> Bool {
    response.selectors.allSatisfy { Self.selector($0.name, in: headers).value == $0.value }
  }

  /// Returns the selector of a header.
  ///
  /// Most values are stored as a SHA-256. Values of headers such as `Accept` stay readable.
  static func selector(_ name: String, in headers: HTTPHeaders) -> CachedResponse.Selector {
    let value = headers[name].map { value in
      let members = value.utf8.contains(0x22) ? [value] : CacheControl.list(value)
      let lowercased = name.lowercased()
      guard preferences.contains(lowercased) else {
        let text = members.joined(separator: ",")
        return harmless.contains(lowercased) ? text : CacheKey.digest([Data(text.utf8)])
      }
      // The order does not matter, because only weights express a preference (RFC 9110 section 12.4.2).
      return members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.sorted().joined(
        separator: ",")
    }
    return .init(name: name, value: value)
  }

  private static let preferences: Set = ["accept", "accept-charset", "accept-encoding", "accept-language"]

  private static let harmless: Set = ["content-type", "dnt", "origin", "prefer", "save-data", "user-agent"]

  private func covers(_ response: CachedResponse) -> Bool {
    guard let part = response.part else {
      guard let range else { return true }
      return range.isSingle && !response.headers.contains("Content-Encoding") && response.status == 200
    }
    // Without `Range`, only a part from byte 0 with a known total can be completed.
    guard let range else { return part.range.lowerBound == 0 && part.total != nil && method == .get }
    guard let wanted = range.bytes(of: part.total) else { return false }
    return part.range.lowerBound <= wanted.lowerBound && wanted.upperBound <= part.range.upperBound
  }

  // MARK: Freshness

  /// Returns the current age in seconds (RFC 9111 section 4.2.3).
  func age(_ response: CachedResponse) -> Double {
    response.freshness.initialAge + max(0, now.timeIntervalSince(response.received))
  }

  private func staleness(_ response: CachedResponse) -> Double { age(response) - response.freshness.lifetime }

  private func isOfTheFuture(_ response: CachedResponse) -> Bool { now < response.received }

  /// Returns a reason for asking the server, as a clause; `nil`: the response is usable as fresh.
  private func unusable(_ response: CachedResponse) -> String? {
    let (age, lifetime) = (age(response), response.freshness.lifetime)
    if isOfTheFuture(response) { return "the clock went back" }
    if response.part != nil, range == nil { return Self.isPart }
    if response.directives.noCache { return "the server requires a revalidation each time" }
    if asked.noCache { return "the request requires a revalidation" }
    if age >= lifetime {
      return lifetime > 0
        ? "the stored response has been stale for \(ExchangeReport.CacheVerdict.Reason.text(age - lifetime))"
        : "the stored response was stale from the start"
    }
    // RFC 8246: a reload (`max-age=0`) does not revalidate a fresh, immutable response.
    let isReload = asked.maxAge == 0 && response.directives.isImmutable
    if let most = asked.maxAge, age >= most, !isReload {
      return "the stored response is older than the request's max-age"
    }
    if lifetime - age < asked.minFresh {
      return "the stored response is not fresh for the request's min-fresh"
    }
    return nil
  }

  private func freshFor(_ response: CachedResponse) -> ExchangeReport.CacheVerdict.Reason {
    .fresh(response.freshness.lifetime - age(response), isExplicit: response.freshness.isExplicit)
  }

  /// Returns the decision to use a stale response, if `max-stale` or `stale-while-revalidate` (RFC 5861)
  /// allows the use; otherwise `nil`.
  private func usableStale(_ response: CachedResponse) -> Decision? {
    guard !response.directives.mustRevalidate, !response.directives.noCache, !asked.noCache,
      !isOfTheFuture(response), response.part == nil
    else { return nil }
    let late = staleness(response)
    guard late >= 0 else { return nil }
    if let most = asked.maxAge, age(response) >= most, asked.maxStale == nil { return nil }
    if let most = asked.maxStale, late <= most, asked.minFresh <= 0 {
      return use(response, because: .text("the request accepts a stale response"), isStale: true)
    }
    guard response.directives.staleWhileRevalidate > 0, late <= response.directives.staleWhileRevalidate,
      asked.minFresh <= 0
    else { return nil }
    return use(response, because: .text("stale-while-revalidate"), isStale: true, refreshes: true)
  }

  private func use(
    _ response: CachedResponse, because reason: ExchangeReport.CacheVerdict.Reason, isStale: Bool? = nil,
    refreshes: Bool = false
  ) -> Decision {
    let isStale = isStale ?? (policy.pin == nil && staleness(response) >= 0)
    return .use(
      response, ExchangeReport.CacheVerdict(isStale ? .stale : .cache, because: reason, age: age(response)),
      refreshes: refreshes)
  }

  // MARK: Fixed lifetime

  private func decideOnPinned(_ response: CachedResponse) -> Decision {
    let (age, time) = (now.timeIntervalSince(response.received), policy.pin?.time ?? 0)
    var problem: String?
    if age < 0 {
      problem = "the clock went back"
    } else if !(age < time) {
      problem =
        "the stored response is older than its fixed lifetime of \(ExchangeReport.CacheVerdict.Reason.text(max(0, time)))"
    }
    let miss: RequestError.CacheMiss = age < 0 ? .clockWentBack : .expired
    switch policy.mode {
    case .reload: return .fetch(response, reason: "the policy reloads")
    case .networkElseCache: return .fetch(response, reason: "the policy asks the network first")
    case .cacheOnly where problem != nil: return .fail(miss, reason: problem ?? "")
    case .cacheElseNetwork where problem != nil && age >= 0:
      return use(response, because: .text(Self.takesAll), isStale: true)
    case .staleWhileRevalidate where age >= 0:
      if let problem { return use(response, because: .text(problem), isStale: true, refreshes: true) }
    default: break
    }
    if let problem {
      return asked.onlyIfCached ? .fail(miss, reason: problem) : .fetch(response, reason: problem)
    }
    return .use(
      response, ExchangeReport.CacheVerdict(.cache, because: .kept(time - age), age: age),
      refreshes: false)
  }

  // MARK: Revalidation

  func ask(_ response: CachedResponse, because reason: String) -> Decision {
    var conditions = HTTPHeaders()
    if let part = response.part, range == nil {
      // A weak entity tag does not prove that both parts belong together (RFC 9110 section 13.1.5).
      guard let tag = response.headers["ETag"], !tag.hasPrefix("W/") else {
        return .fetch(nil, reason: reason)
      }
      conditions["Range"] = "bytes=\(part.range.upperBound)-"
      conditions["If-Range"] = tag
      return .revalidate(response, conditions, reason: reason)
    }
    guard range == nil else { return .fetch(response, reason: reason) }
    if let tag = response.headers["ETag"] { conditions["If-None-Match"] = tag }
    // Old intermediaries evaluate only the date (RFC 9111 section 4.3.1).
    if let date = response.headers["Last-Modified"] { conditions["If-Modified-Since"] = date }
    return conditions.fields.isEmpty
      ? .fetch(response, reason: reason) : .revalidate(response, conditions, reason: reason)
  }

  func fallback(_ response: CachedResponse?, after failure: String) -> ExchangeReport.CacheVerdict? {
    guard let response, response.part == nil, matches(response) else { return nil }
    guard policy.pin == nil || policy.mode == .networkElseCache else { return nil }
    guard range == nil || covers(response) else { return nil }
    if policy.mode == .networkElseCache {
      guard response.status.code < 400 else { return nil }
      return ExchangeReport.CacheVerdict(.stale, because: failure, age: age(response))
    }
    let directives = response.directives
    guard policy.mode != .reload, !directives.mustRevalidate, !directives.noCache, !asked.noCache else {
      return nil
    }
    let late = staleness(response)
    guard late <= max(directives.staleIfError, asked.staleIfError),
      directives.staleIfError + asked.staleIfError > 0
    else { return nil }
    return ExchangeReport.CacheVerdict(.stale, because: "stale-if-error: \(failure)", age: age(response))
  }

  /// Returns true for a server error that a stored response may replace (RFC 5861 section 4).
  static func isFailure(_ status: HTTPResponse.Status) -> Bool {
    RetryableStatuses.ofServer.contains(status.code)
  }

  // MARK: Stored responses

  /// Returns the response to give to the app.
  ///
  /// `age` is in seconds, and replaces the stored `Age`. `nil`: the stored `Age` stays.
  func given(_ stored: CachedResponse, for url: URL, age: Int?) -> TransportResponse {
    var head = HTTPResponse(status: stored.status, headers: stored.headers, url: url)
    if let age {
      if head.headers.contains("Age") { head.headers["Age"] = nil }
      head.headers.add("Age", "\(age)")
    }
    // Conditions have an effect only on a success (RFC 9110 section 13.2.1).
    if stored.status.isSuccess, let conditions, conditions.areMet(by: stored) {
      head.status = 304
      head.headers = HTTPHeaders(
        head.headers.fields.filter { Self.validating.contains($0.name.lowercased()) })
      return TransportResponse(head: head, body: BodyStream(Data()))
    }
    guard method != .head else { return TransportResponse(head: head, body: BodyStream(Data())) }
    let (first, total) = (stored.part?.range.lowerBound ?? 0, stored.part.map(\.total) ?? stored.body.count)
    guard let range, let wanted = range.bytes(of: total), first <= wanted.lowerBound,
      wanted.upperBound - first <= stored.body.count
    else { return TransportResponse(head: head, body: stored.body.stream) }
    head.status = 206
    head.headers["Content-Range"] =
      "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(total.map(String.init) ?? "*")"
    head.headers["Content-Length"] = "\(wanted.count)"
    return TransportResponse(
      head: head, body: stored.body.bytes(wanted.lowerBound - first..<wanted.upperBound - first).stream)
  }

  /// The headers of a 304 from the cache (RFC 9110 section 15.4.5).
  private static let validating: Set = [
    "age", "cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary",
  ]
}

extension CacheRules.Decision: CustomStringConvertible {
  var stored: CachedResponse? {
    switch self {
    case .use(let stored, _, _), .revalidate(let stored, _, _): stored
    case .fetch(let stored, _): stored
    case .fail: nil
    }
  }

  var isUse: Bool { if case .use = self { true } else { false } }

  var reason: String {
    switch self {
    case .use(_, let verdict, _): verdict.reason
    case .revalidate(_, _, let reason), .fetch(_, let reason), .fail(_, let reason): reason
    }
  }

  var description: String {
    switch self {
    case .use: "used, \(reason)"
    case .revalidate: "revalidated, \(reason)"
    case .fetch: "not used, \(reason)"
    case .fail: "none, and no request is sent: \(reason)"
    }
  }
}
