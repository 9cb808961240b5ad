/// The rules by which a request uses the agent's cache.
///
/// ```swift
/// struct GetPrices: Request {
///   typealias Response = [Price]
///   let path = "prices"
///   let cachePolicy = CachePolicy.fixed(time: .seconds(300), version: 2)
/// }
/// ```
///
/// If the agent has no ``AgentConfiguration/cache``, ``cacheOnly`` usually fails, and other policies have no
/// effect. Downloads, `data:` URLs and responses of `mockResponse` do not use the cache.
///
/// The request's policy replaces the agent's policy, with two exceptions:
///
/// - Rules added to ``inherited``, such as tags, extend the agent's policy.
/// - A policy such as ``reload`` keeps the agent's rules, such as tags, if no rules are added to the policy.
///   ``none`` and ``standard`` do not keep the agent's rules.
public struct CachePolicy: Sendable, Hashable {
  enum Mode: Sendable, Hashable {
    case inherited, none, standard, reload, cacheElseNetwork, cacheOnly, networkElseCache
    case staleWhileRevalidate
  }

  struct Pin: Sendable, Hashable, Codable {
    /// The lifetime in seconds; not encoded.
    var time: Double = 0
    var version: Int
    var scope: String?

    private enum CodingKeys: String, CodingKey { case version, scope }

    func isSame(as other: Pin) -> Bool { version == other.version && scope == other.scope }
  }

  private final class Details: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  struct Values: Sendable, Hashable {
    var pin: Pin?
    var ignoredItems: Set<String> = []
    /// Further cached methods; `GET` and `HEAD` need no entry.
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

  /// Compares the mode and the rules, such as tags.
  public static func == (a: CachePolicy, b: CachePolicy) -> Bool { a.mode == b.mode && a.values == b.values }

  /// Hashes the mode and the rules, such as tags.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(mode)
    hasher.combine(values)
  }

  /// The agent's policy, ``AgentConfiguration/cachePolicy``, whose default is ``standard``.
  public static let inherited = CachePolicy(.inherited)

  /// The cache neither responds to the request nor stores the response.
  ///
  /// A successful unsafe request, such as `POST`, usually still removes stored responses (RFC 9111 section
  /// 4.4).
  public static let none = CachePolicy(.none)

  /// The rules of RFC 9111 for a private cache, with stale responses as in RFC 5861.
  public static let standard = CachePolicy(.standard)

  /// Sends the request even if a fresh response is stored.
  ///
  /// The new response may be stored.
  public static let reload = CachePolicy(.reload)

  /// Uses a stored response of any age.
  ///
  /// Without a usable stored response, sends the request.
  public static let cacheElseNetwork = CachePolicy(.cacheElseNetwork)

  /// Uses a stored response, and does not send the request.
  ///
  /// Without a usable response, the request usually fails with ``RequestError/Kind/notCached``.
  public static let cacheOnly = CachePolicy(.cacheOnly)

  /// Prefers the network to the cache.
  ///
  /// If the network or the server fails, the agent usually uses a stored response of any age.
  ///
  /// A fresh stored response with `Cache-Control: immutable` may be used without sending the request.
  public static let networkElseCache = CachePolicy(.networkElseCache)

  /// Uses a stored response of any age.
  ///
  /// Without a usable stored response, sends the request.
  ///
  /// If the stored response is stale or must be revalidated, the agent usually refreshes the response in the
  /// background.
  public static let staleWhileRevalidate = CachePolicy(.staleWhileRevalidate)

  /// Returns a policy with a fixed lifetime for complete, successful responses.
  ///
  /// The lifetime replaces the server's caching rules, except `Vary`.
  ///
  /// - Parameters:
  ///   - time: The lifetime from the arrival of the response.
  ///   - version: The version of the decoded type; 0 by default. Raise the version when the type changes.
  ///   - scope: The owner of the response, such as an account number; `nil`, the default: no owner.
  public static func fixed(time: Duration, version: Int = 0, scope: String? = nil) -> CachePolicy {
    var policy = CachePolicy.standard
    policy.values.pin = Pin(
      time: time.clamped(to: AgentClock.longestSleep) / .seconds(1), version: version, scope: scope)
    return policy
  }

  /// Returns the policy that ignores the named query items when looking for a stored response.
  public func ignoring(queryItems names: String...) -> CachePolicy {
    var policy = self
    policy.values.ignoredItems.formUnion(names)
    return policy
  }

  /// Returns the policy that also caches other methods, such as `QUERY`, or a `POST` that only searches.
  ///
  /// A request with a stream, file, multipart or `gzipped()` body is not cached.
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

  func with(_ mode: Mode) -> CachePolicy {
    var policy = self
    policy.mode = mode
    return policy
  }

  var isInherited: Bool { mode == .inherited }

  var sendsNothing: Bool { mode == .cacheOnly }

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

  func covers(_ method: HTTPMethod) -> Bool {
    method == .get || method == .head || methods.contains(method)
  }
}

extension CachePolicy: PrintedByDescription {
  /// A text such as `standard`, or `fixed for 300 s, version 2`, without tags and the name of the scope.
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
