public import ErrandJSON
public import Foundation

/// The settings of a ``RequestAgent``.
public struct AgentConfiguration: Sendable {
  /// The base URL of requests with ``Request/usesCDN`` and no ``Request/cdnURL``; `nil` by default.
  public var cdnURL: URL?
  /// The headers of all requests except a ``Request/customRequest``; empty by default.
  ///
  /// A request's own header takes precedence. An untrusted origin receives only harmless headers of the
  /// configuration, such as `Accept`.
  public var headers: HTTPHeaders = [:]
  /// The parameters added to the ``Request/parameters`` of requests to trusted origins; empty by default.
  ///
  /// An equal key in the request's `parameters`, `query` or `path` wins. A `customRequest` gets no
  /// parameters.
  public var parameters: Parameters = [:]
  /// The `User-Agent` of requests without the header, except a `customRequest`; `nil`: Errand adds none.
  ///
  /// A value of `makeUserAgent` takes precedence.
  public var userAgent: String? = PlatformHeaders.userAgent
  /// A closure that returns the `User-Agent`, or `nil` to use ``userAgent``; by default no closure.
  ///
  /// An agent calls the closure at most once. Requests without a `User-Agent` usually wait for the result.
  public var makeUserAgent: (@Sendable () async -> String?)?
  /// The `Accept-Language` of requests without the header, except a `customRequest`; `nil`: Errand adds none.
  ///
  /// The default lists up to six languages of the user.
  public var acceptLanguage: String? = PlatformHeaders.acceptLanguage
  /// The JSON coding of requests without a coding; Foundation's defaults by default.
  public var jsonCoding = JSONCoding()
  /// The retry policy that requests inherit; `.none` by default.
  public var retryPolicy: RetryPolicy = .none
  /// The redirect policy that requests inherit; up to 10 redirects by default.
  public var redirectPolicy: RedirectPolicy = .follow()
  /// The default of ``Request/timeout``; 60 seconds by default.
  public var timeout: Duration = .seconds(60)
  /// The default of ``Request/deadline``; `nil`, the default: no limit.
  public var deadline: Duration?
  /// The authenticator that requests inherit; `nil` by default.
  public var authenticator: (any Authenticator)?
  /// The origins that may receive the agent's credentials, besides base and CDN URLs; empty by default.
  ///
  /// The authenticator does not sign a request redirected to a different origin, even to a trusted origin.
  public var trustedOrigins: [URL] = []
  /// The cookie store that requests inherit; `nil`, the default: no cookies.
  public var cookies: CookieStore?
  /// The cache; `nil`, the default: no caching.
  public var cache: ResponseCache?
  /// The cache policy that requests inherit; ``CachePolicy/standard`` by default.
  public var cachePolicy: CachePolicy = .standard
  /// The allowed destinations; by default HTTPS anywhere, and HTTP to loopback hosts and to the origins of
  /// base URLs, CDN URLs and ``trustedOrigins``.
  public var destinations = DestinationPolicy()
  /// True if the ``Request/mockPolicy`` of requests is active; `false` by default.
  ///
  /// Set `true` only in test builds.
  public var allowsMocks = false
  /// The limit on simultaneous attempts per origin and `limitKey`; 10 by default, 0: no limit.
  ///
  /// Further attempts usually wait; see <doc:Scheduling>.
  public var maxRequestsPerOrigin = 10
  /// The limit on simultaneous attempts over all origins; 0, the default: no limit.
  public var maxRequests = 0
  /// The maximum number of attempts in a queue of an origin; slots and rate limit have separate queues.
  ///
  /// `nil`, the default: no maximum. Beyond the maximum, the last attempt in the order of service fails with
  /// ``RequestError/Kind/queueFull``.
  public var maxWaitingPerOrigin: Int?
  /// The limits of transfers, for requests without limits of their own.
  public var limits = TransferLimits()
  /// The rules for hiding secrets; ``Redaction/standard`` by default.
  public var redaction: Redaction = .standard
  /// The clock for times and waits of dispatches, except inside a transport; the continuous clock by default.
  public var clock: AgentClock = .continuous
  /// A closure that returns a number in 0..<1 for random waits; the system's generator by default.
  public var jitter: @Sendable () -> Double = SystemRandom.fraction
  /// A closure that returns a key for ``IdempotencyKey/automatic``; by default a random UUID.
  public var makeIdempotencyKey: @Sendable () -> String = SystemRandom.key
  /// The budget for retries, per origin and `limitKey`; ``RetryBudget/standard`` by default.
  public var retryBudget: RetryBudget = .standard
  /// The circuit breaker for failing origins; `nil` by default.
  public var circuitBreaker: CircuitBreaker?
  /// The rate limit of attempts, per origin and `limitKey`; `nil`, the default: no limit.
  public var rateLimit: RateLimit?
  /// Finds the limit of each origin in place of ``maxRequestsPerOrigin``; `nil` by default.
  package var concurrency: (any ConcurrencyAlgorithm)?
  /// Sends second copies of slow transfers; `nil` by default.
  package var hedger: (any TransferHedger)?

  /// Passes deadlines on to nested dispatches and to servers; set by `ErrandService`.
  package var deadlinePropagator: (any DeadlinePropagator)?
  /// Selects the base of each attempt; set by `ErrandService`.
  package var baseSelector: (any BaseSelector)?

  /// Creates a configuration with all defaults.
  public init() {}

  /// Creates a configuration; an omitted argument means the default.
  public init(
    cdnURL: URL? = nil, headers: HTTPHeaders = [:], parameters: Parameters = [:],
    userAgent: String? = AgentConfiguration().userAgent,
    makeUserAgent: (@Sendable () async -> String?)? = nil,
    acceptLanguage: String? = AgentConfiguration().acceptLanguage, jsonCoding: JSONCoding = JSONCoding(),
    retryPolicy: RetryPolicy = .none, redirectPolicy: RedirectPolicy = .follow(),
    timeout: Duration = .seconds(60),
    deadline: Duration? = nil, authenticator: (any Authenticator)? = nil, trustedOrigins: [URL] = [],
    cookies: CookieStore? = nil, cache: ResponseCache? = nil, cachePolicy: CachePolicy = .standard,
    destinations: DestinationPolicy = DestinationPolicy(), allowsMocks: Bool = false,
    maxRequestsPerOrigin: Int = 10, maxRequests: Int = 0, maxWaitingPerOrigin: Int? = nil,
    limits: TransferLimits = TransferLimits(), redaction: Redaction = .standard,
    clock: AgentClock = .continuous,
    jitter: (@Sendable () -> Double)? = nil,
    makeIdempotencyKey: (@Sendable () -> String)? = nil,
    retryBudget: RetryBudget = .standard, circuitBreaker: CircuitBreaker? = nil, rateLimit: RateLimit? = nil
  ) {
    (self.cdnURL, self.headers, self.parameters) = (cdnURL, headers, parameters)
    (self.userAgent, self.makeUserAgent, self.acceptLanguage) = (userAgent, makeUserAgent, acceptLanguage)
    (self.jsonCoding, self.retryPolicy, self.redirectPolicy) = (jsonCoding, retryPolicy, redirectPolicy)
    (self.timeout, self.deadline, self.authenticator) = (timeout, deadline, authenticator)
    (self.trustedOrigins, self.cookies, self.cache) = (trustedOrigins, cookies, cache)
    (self.cachePolicy, self.destinations, self.allowsMocks) = (cachePolicy, destinations, allowsMocks)
    (self.maxRequestsPerOrigin, self.maxRequests) = (maxRequestsPerOrigin, maxRequests)
    (self.maxWaitingPerOrigin, self.limits, self.redaction) = (maxWaitingPerOrigin, limits, redaction)
    self.clock = clock
    if let jitter { self.jitter = jitter }
    if let makeIdempotencyKey { self.makeIdempotencyKey = makeIdempotencyKey }
    (self.retryBudget, self.circuitBreaker, self.rateLimit) = (retryBudget, circuitBreaker, rateLimit)
  }
}

extension AgentConfiguration {
  @inline(__always)
  func timeout(of request: some Request) -> Duration {
    let own = request.timeout
    return own == .unstatedTimeout ? timeout : own
  }

  @inline(__always)
  func deadline(of request: some Request) -> DispatchDeadline {
    let own = request.deadline ?? (deadline == nil || Self.liftsDeadline(request) ? nil : deadline)
    if case .some = deadlinePropagator { return .passedOn(own) }
    return DispatchDeadline(time: own)
  }

  @inline(never)
  private static func liftsDeadline(_ request: some Request) -> Bool {
    (request as? any RequestWrapper)?.overrides(\.deadline) == true
  }
}

extension AgentConfiguration: PrintedByDescription {
  /// The redacted CDN URL and headers.
  public var description: String {
    let fields = redaction.headers(headers).fields.map { "\($0.name): \($0.value)" }
    return ([cdnURL.map(redaction.url) ?? "no CDN URL"] + fields).joined(separator: "\n").printed
  }
}

extension AgentConfiguration {
  /// Returns the configuration with the secrets of the authenticator, and with measurements of its own.
  func forAgent() -> AgentConfiguration {
    var configuration = self
    configuration.hedger = hedger?.forAgent()
    guard let authenticator, !redaction.hidesNothing else { return configuration }
    configuration.redaction = authenticator.hidingSecrets(in: redaction)
    return configuration
  }

  /// - Parameter circuitChanged: called after changes of circuits, in the order of the changes.
  func makeOriginGuard(
    circuitChanged: @escaping @Sendable (CircuitBreaker.Circuit) -> Void
  ) -> OriginGuard {
    let rules = OriginRules(
      budget: retryBudget, breaker: circuitBreaker, limit: rateLimit, maxWaiting: maxWaitingPerOrigin)
    return OriginGuard(
      states: OriginStates(
        rules, clock: clock, agentRetries: !retryPolicy.isOff || hedger != nil,
        circuitChanged: circuitChanged))
  }

  func makeSlots() -> OriginSlots {
    OriginSlots(
      limit: maxRequestsPerOrigin, cap: maxRequests, maxWaiting: maxWaitingPerOrigin, algorithm: concurrency)
  }

  func makeBuildingSettings(
    base: String?, transport: any Transport, deferredUserAgent: DeferredUserAgent?, isObserved: Bool
  ) -> BuildingSettings {
    BuildingSettings(
      base: base, cdnURL: cdnURL, headers: headers, parameters: parameters, acceptLanguage: acceptLanguage,
      userAgent: userAgent, deferredUserAgent: deferredUserAgent, destinations: destinations,
      trustedOrigins: trustedOrigins + (baseSelector?.baseURLs ?? []), transport: transport,
      keepsURLText: transport is any URLTextTransport && !isObserved && cache == nil && cookies == nil
        && authenticator == nil)
  }
}
