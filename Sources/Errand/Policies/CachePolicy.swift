/// Whether a request is answered from the agent's cache, and whether its answer is kept there: one immutable value.
///
/// ```swift
/// struct GetPrices: Request {
///   typealias Response = [Price]
///   let path = "prices"
///   let cachePolicy = CachePolicy.fixed(time: .seconds(300), version: 2)
/// }
/// ```
///
/// It does nothing where ``AgentConfiguration/cache`` is `nil`, as it is by default, but for ``cacheOnly``, which fails then. `GET` and `HEAD` are answered, and answers to `GET` kept;
/// of other methods none unless ``alsoCaching(_:)`` names them. A download is never answered from a cache, nor kept in one. Whatever is
/// answered from it passes validators, `filterResponse` and decoding like any other answer.
///
/// A policy takes the place of another: that of a call in place of the request's, and of the request's in place of the agent's. ``reload``, ``cacheElseNetwork``,
/// ``cacheOnly``, ``networkElseCache`` and ``staleWhileRevalidate`` say where an answer comes from; how it is kept stays as it was: the fixed time, version and
/// scope, ignored items, further methods and tags. So `GetPrices().with(\.cachePolicy, .reload)` brings the prices up to date that are kept for five minutes.
public struct CachePolicy: Sendable, Hashable {
  /// How what is stored stands to the network.
  enum Mode: Sendable, Hashable {
    case inherited, none, standard, reload, cacheElseNetwork, cacheOnly, networkElseCache
    case staleWhileRevalidate
  }

  /// What is kept for a fixed time, whatever the server says.
  struct Pin: Sendable, Hashable, Codable {
    /// In seconds; told by the request that asks, not kept.
    var time: Double = 0
    var version: Int
    var scope: String?

    private enum CodingKeys: String, CodingKey { case version, scope }

    /// Whether both keep the same thing.
    func isSame(as other: Pin) -> Bool { version == other.version && scope == other.scope }
  }

  /// What few policies have, behind a reference: every dispatch copies its configuration.
  private final class Details: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  struct Values: Sendable, Hashable {
    var pin: Pin?
    /// The names of query items that do not count.
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

  /// Compares what they say.
  public static func == (a: CachePolicy, b: CachePolicy) -> Bool { a.mode == b.mode && a.values == b.values }

  /// Hashes the same.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(mode)
    hasher.combine(values)
  }

  /// That of the agent, ``AgentConfiguration/cachePolicy``, itself ``standard`` by default.
  public static let inherited = CachePolicy(.inherited)

  /// Not answered from the cache, and not kept there.
  ///
  /// A success of an unsafe method still removes what is stored for its URL, as RFC 9111 section 4.4 has it.
  public static let none = CachePolicy(.none)

  /// By RFC 9111, as a private cache: answered where what is stored is fresh, else asked again with its validators.
  public static let standard = CachePolicy(.standard)

  /// Always from the network; the answer is kept as the policy that it takes the place of says, by the rules of ``standard`` if none does.
  ///
  /// Nothing is added to the request: caches on the way answer as they do. A header `Cache-Control: no-cache` asks them to ask, too.
  public static let reload = CachePolicy(.reload)

  /// Whatever is stored, however old, and the network where nothing is.
  public static let cacheElseNetwork = CachePolicy(.cacheElseNetwork)

  /// Whatever is stored, however old, and for a fixed time where it is within it; where nothing is, it fails with ``RequestError/Kind/notCached`` and says why in ``RequestError/cacheMiss``.
  ///
  /// Nothing is sent, whatever the method, also for downloads and where the agent has no cache; credentials are not renewed.
  public static let cacheOnly = CachePolicy(.cacheOnly)

  /// The network, and whatever is stored, however old, where the network or the server fails: no connection, the timeout of the transfer, or the status
  /// 500, 502, 503 or 504.
  ///
  /// Not where ``TransferLimits/attemptTimeout`` or a deadline ends the whole attempt, a body breaks off after its head, or credentials cannot be renewed.
  ///
  /// For apps that work offline, also with a service that says nothing of caches: what has neither a lifetime nor a validator is kept too. What is fresh and `immutable` (RFC 8246) is not asked for. An answer that a server wants checked before each
  /// use (`must-revalidate`, `no-cache`) is given too, as the app asks for it; one with `no-store` was never kept.
  public static let networkElseCache = CachePolicy(.networkElseCache)

  /// What is stored, however old, at once; where it is not fresh, the cache is brought up to date behind it, by one transfer for all who ask
  /// meanwhile.
  ///
  /// The network where nothing is stored. ``RequestAgent/values(for:)`` gives the stored value and the network's after it.
  public static let staleWhileRevalidate = CachePolicy(.staleWhileRevalidate)

  /// Kept for a time of yours, whatever the server says, also where it forbids to store: as the ancestors' `cacheTimeInSeconds` does.
  ///
  /// Answers with a status in 200..<300 are kept, and given to requests of the same version and scope for so long. An answer of another
  /// version or scope is a miss, and stays for those who ask for it; so does one that is not old enough to exist, where the clock went back.
  /// One that is refused by a validator, or cannot be decoded, is not kept.
  ///
  /// - Parameters:
  ///   - time: how long, from the time it came; none is used at zero.
  ///   - version: of what the answer looks like; 0 by default. Raise it where the type that it is decoded to changes.
  ///   - scope: whose answer it is, such as the number of an account; `nil`, the default, for everybody's.
  public static func fixed(time: Duration, version: Int = 0, scope: String? = nil) -> CachePolicy {
    var policy = CachePolicy.standard
    policy.values.pin = Pin(
      time: time.clamped(to: AgentClock.longestSleep) / .seconds(1), version: version, scope: scope)
    return policy
  }

  /// The same, where query items of these names make no difference: a time stamp, a nonce.
  ///
  /// Dangerous where the answer depends on one of them.
  public func ignoring(queryItems names: String...) -> CachePolicy {
    var policy = self
    policy.values.ignoredItems.formUnion(names)
    return policy
  }

  /// The same, for these methods too: each answer is kept for the method, URL and body that it came for.
  ///
  /// For a `POST` that only searches, or `QUERY`. A body must be in memory. Under ``standard`` such an answer is kept only where the server
  /// states how long it is fresh.
  public func alsoCaching(_ methods: HTTPMethod...) -> CachePolicy {
    var policy = self
    policy.values.methods.formUnion(methods)
    return policy
  }

  /// The same, where the answer is kept under these tags, by which ``AgentCache/remove(tag:)`` finds it.
  public func tagged(_ tags: String...) -> CachePolicy {
    var policy = self
    policy.values.tags.formUnion(tags)
    return policy
  }

  /// The same in another mode.
  func with(_ mode: Mode) -> CachePolicy {
    var policy = self
    policy.mode = mode
    return policy
  }

  var isInherited: Bool { mode == .inherited }

  /// Whether only the cache may answer.
  var sendsNothing: Bool { mode == .cacheOnly }

  /// This policy in place of another: what it says nothing of stays.
  ///
  /// ``inherited`` takes everything of the other, and adds its own; one of the modes that only say where an answer comes from keeps how
  /// it is kept, unless it says so itself.
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

  /// Whether an answer to the method may come from the cache, or be kept there.
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
