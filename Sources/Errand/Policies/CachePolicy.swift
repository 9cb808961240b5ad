/// The use of the agent's cache by a request, as an immutable value.
///
/// ```swift
/// struct GetPrices: Request {
///   typealias Response = [Price]
///   let path = "prices"
///   let cachePolicy = CachePolicy.fixed(time: .seconds(300), version: 2)
/// }
/// ```
///
/// Without ``AgentConfiguration/cache``, the default, only ``cacheOnly`` has an effect, and fails. The cache answers `GET` and `HEAD` and
/// stores responses to `GET`; ``alsoCaching(_:)`` adds other methods. Downloads are neither answered nor stored. A cached response passes
/// validators, `filterResponse` and decoding like any response.
///
/// The policy of a call replaces the request's, and the request's replaces the agent's. ``reload``, ``cacheElseNetwork``, ``cacheOnly``,
/// ``networkElseCache`` and ``staleWhileRevalidate`` replace only the source of a response. The storage rules stay: fixed time, version,
/// scope, ignored items, further methods and tags. `GetPrices().with(\.cachePolicy, .reload)` therefore refreshes the prices, and stores
/// the new prices for five minutes.
public struct CachePolicy: Sendable, Hashable {
  /// The order of cache and network.
  enum Mode: Sendable, Hashable {
    case inherited, none, standard, reload, cacheElseNetwork, cacheOnly, networkElseCache
    case staleWhileRevalidate
  }

  /// A fixed lifetime, whatever the server says.
  struct Pin: Sendable, Hashable, Codable {
    /// The lifetime in seconds, from the request; not stored.
    var time: Double = 0
    var version: Int
    var scope: String?

    private enum CodingKeys: String, CodingKey { case version, scope }

    /// Returns true if both have the same version and scope.
    func isSame(as other: Pin) -> Bool { version == other.version && scope == other.scope }
  }

  /// Settings of few policies, behind a reference, because every dispatch copies its configuration.
  private final class Details: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  struct Values: Sendable, Hashable {
    var pin: Pin?
    /// The names of ignored query items.
    var ignoredItems: Set<String> = []
    /// Methods besides GET and HEAD.
    var methods: Set<HTTPMethod> = []
    var tags: Set<String> = []
  }

  private(set) var mode: Mode
  private var details: Details?

  private init(_ mode: Mode) { self.mode = mode }

  private var values: Values {
    get { details?.values ?? Values() }
    set { details = newValue == Values() ? nil : Details(newValue) }
  }

  var pin: Pin? { details?.values.pin }
  var ignoredItems: Set<String> { details?.values.ignoredItems ?? [] }
  var methods: Set<HTTPMethod> { details?.values.methods ?? [] }
  var tags: Set<String> { details?.values.tags ?? [] }

  /// Returns true if both policies have the same rules.
  public static func == (a: CachePolicy, b: CachePolicy) -> Bool { a.mode == b.mode && a.values == b.values }

  /// Hashes the rules.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(mode)
    hasher.combine(values)
  }

  /// The agent's policy, ``AgentConfiguration/cachePolicy``, whose default is ``standard``.
  public static let inherited = CachePolicy(.inherited)

  /// Neither answered from the cache nor stored.
  ///
  /// A successful unsafe method still removes the stored responses of its URL (RFC 9111 section 4.4).
  public static let none = CachePolicy(.none)

  /// RFC 9111, as a private cache: fresh responses are reused, stale responses are revalidated.
  public static let standard = CachePolicy(.standard)

  /// Always from the network; the response is stored by the rules of the replaced policy, or of ``standard``.
  ///
  /// The request has no additional fields, so caches on the way may answer. Add `Cache-Control: no-cache` to force their revalidation.
  public static let reload = CachePolicy(.reload)

  /// A stored response of any age, else the network.
  public static let cacheElseNetwork = CachePolicy(.cacheElseNetwork)

  /// A stored response of any age, within its fixed time if any; nothing is ever sent.
  ///
  /// Without a stored response, the request fails with ``RequestError/Kind/notCached`` and the reason in ``RequestError/cacheMiss``. The
  /// rule holds for every method, for downloads, and for agents without a cache. Credentials are not renewed.
  public static let cacheOnly = CachePolicy(.cacheOnly)

  /// The network, and a stored response of any age if the network or the server fails.
  ///
  /// Failures are a missing connection, the timeout of the transfer, and the statuses 500, 502, 503 and
  /// 504. Other ends of an attempt use no stored response: ``TransferLimits/attemptTimeout``, a deadline, a body that breaks off, and
  /// failed renewals of credentials.
  ///
  /// For offline apps, also with services without caching fields: responses without lifetime and validator are stored too. A fresh
  /// `immutable` response (RFC 8246) is reused without asking. Responses with `must-revalidate` or `no-cache` are reused as well; responses
  /// with `no-store` are never stored.
  public static let networkElseCache = CachePolicy(.networkElseCache)

  /// A stored response of any age at once, followed by a background revalidation if the response is stale.
  ///
  /// Concurrent requests share the revalidation. Without a stored response, the network answers. ``RequestAgent/values(for:)`` returns the
  /// stored value and then the network's value.
  public static let staleWhileRevalidate = CachePolicy(.staleWhileRevalidate)

  /// A lifetime of your choice, whatever the server says, even with `no-store`.
  ///
  /// Responses with a status in 200..<300 are stored, and returned to requests with the same version and scope during the lifetime. A
  /// response of another version or scope is a miss, and stays stored. So is a response with a date in the future, after the clock went
  /// back. A response refused by a validator, or impossible to decode, is not stored.
  ///
  /// - Parameters:
  ///   - time: The lifetime from the arrival of the response; no response is reused at zero.
  ///   - version: The version of the decoded type; 0 by default. Raise the version when the type changes.
  ///   - scope: The owner of the response, such as an account number; `nil`, the default, for all users.
  public static func fixed(time: Duration, version: Int = 0, scope: String? = nil) -> CachePolicy {
    var policy = CachePolicy.standard
    policy.values.pin = Pin(
      time: time.clamped(to: AgentClock.longestSleep) / .seconds(1), version: version, scope: scope)
    return policy
  }

  /// Returns the policy with ignored query items, such as a time stamp or a nonce.
  ///
  /// Dangerous if the response depends on an ignored item.
  public func ignoring(queryItems names: String...) -> CachePolicy {
    var policy = self
    policy.values.ignoredItems.formUnion(names)
    return policy
  }

  /// Returns the policy for further methods; each response is stored under method, URL and body.
  ///
  /// For a `POST` that only searches, or for `QUERY`. The body must be in memory. ``standard`` stores such a response only with an explicit
  /// lifetime from the server.
  public func alsoCaching(_ methods: HTTPMethod...) -> CachePolicy {
    var policy = self
    policy.values.methods.formUnion(methods)
    return policy
  }

  /// Returns the policy with tags for ``AgentCache/remove(tag:)``.
  public func tagged(_ tags: String...) -> CachePolicy {
    var policy = self
    policy.values.tags.formUnion(tags)
    return policy
  }

  /// Returns the policy in another mode.
  func with(_ mode: Mode) -> CachePolicy {
    var policy = self
    policy.mode = mode
    return policy
  }

  var isInherited: Bool { mode == .inherited }

  /// True if only the cache may answer.
  var sendsNothing: Bool { mode == .cacheOnly }

  /// Returns this policy with missing rules from the replaced policy.
  ///
  /// ``inherited`` takes all rules of the replaced policy, and adds its own. The modes for the source of a response keep the storage rules
  /// of the replaced policy, unless this policy has storage rules.
  func completed(by other: CachePolicy) -> CachePolicy {
    switch mode {
    case .inherited:
      var policy = other
      guard details != nil else { return policy }
      policy.values.pin = pin ?? other.pin
      policy.values.ignoredItems.formUnion(ignoredItems)
      policy.values.methods.formUnion(methods)
      policy.values.tags.formUnion(tags)
      return policy
    case .none, .standard: return self
    case .reload, .cacheElseNetwork, .cacheOnly, .networkElseCache, .staleWhileRevalidate:
      return details == nil ? other.with(mode) : self
    }
  }

  /// Returns true if responses to the method may come from the cache, or be stored.
  func covers(_ method: HTTPMethod) -> Bool {
    method == .get || method == .head || methods.contains(method)
  }
}

extension CachePolicy: CustomStringConvertible {
  /// Such as `standard`, or `fixed for 300 s, version 2`.
  public var description: String {
    var text = mode.summary
    if let pin {
      let kept = "fixed for \(Duration.seconds(pin.time).secondsText), version \(pin.version)"
      text = mode == .standard ? kept : "\(text), \(kept)"
      if pin.scope != nil { text += ", of one scope" }
    }
    if !ignoredItems.isEmpty { text += ", ignoring \(ignoredItems.sorted().joined(separator: ", "))" }
    if !methods.isEmpty { text += ", also \(methods.map(\.token).sorted().joined(separator: ", "))" }
    return text
  }
}

extension CachePolicy.Mode {
  fileprivate var summary: String {
    switch self {
    case .inherited: "inherited"
    case .none: "none"
    case .standard: "standard"
    case .reload: "reload"
    case .cacheElseNetwork: "cache else network"
    case .cacheOnly: "cache only"
    case .networkElseCache: "network else cache"
    case .staleWhileRevalidate: "stale while revalidate"
    }
  }
}
