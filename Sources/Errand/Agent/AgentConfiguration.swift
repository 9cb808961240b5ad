public import ErrandJSON
public import Foundation

/// The settings of a ``RequestAgent``.
public struct AgentConfiguration: Sendable {
  /// The base URL of requests with ``Request/usesCDN`` that set no ``Request/cdnURL``; `nil` by default.
  public var cdnURL: URL?
  /// The headers added to requests; empty by default.
  ///
  /// A request's own header takes precedence. A ``Request/customRequest`` gets no headers of the
  /// configuration. An untrusted origin receives only harmless headers of the configuration, such as
  /// `Accept`.
  public var headers: HTTPHeaders = [:]
  /// The parameters added to the ``Request/parameters`` of requests to trusted origins; empty by default.
  ///
  /// If the request has the same key in `parameters`, in `query` or in the query of `path`, the request's
  /// value is used. A `customRequest` gets no parameters.
  public var parameters: Parameters = [:]
  /// The `User-Agent` of requests without the header; `nil`: Errand adds none.
  ///
  /// A `customRequest` gets no added `User-Agent`. A value of `makeUserAgent` takes precedence.
  public var userAgent: String? = PlatformHeaders.userAgent
  /// A closure that returns the `User-Agent`, or `nil` to use ``userAgent``; by default no closure.
  ///
  /// An agent calls the closure at most once. Requests without a `User-Agent` usually wait for the result.
  public var makeUserAgent: (@Sendable () async -> String?)?
  /// The `Accept-Language` of requests without the header; `nil`: Errand adds none.
  ///
  /// A `customRequest` gets no added `Accept-Language`. The default lists up to six languages of the user.
  public var acceptLanguage: String? = PlatformHeaders.acceptLanguage
  /// The JSON coding of requests that set no coding; Foundation's defaults by default.
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
  /// The allowed destinations.
  ///
  /// By default, HTTPS is allowed to any host. HTTP is allowed to loopback hosts and to the origins of base
  /// URLs, CDN URLs and ``trustedOrigins``.
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
  /// The maximum number of attempts that wait in a queue of an origin; `nil`, the default: no maximum.
  ///
  /// Attempts that wait for a slot and attempts that wait for the rate limit have separate queues. When a
  /// full queue gets a further attempt, the attempt that would be served last fails with
  /// ``RequestError/Kind/queueFull``.
  public var maxWaitingPerOrigin: Int?
  /// The transfer limits of requests that set no limits.
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
  /// The algorithm that finds each origin's limit in place of ``maxRequestsPerOrigin``; `nil` by default.
  package var concurrency: (any ConcurrencyAlgorithm)?
  /// The hedger, which may send a second copy of a slow transfer; `nil` by default.
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
  /// Returns the configuration for one agent.
  ///
  /// The hedger starts without measurements. The redaction also hides the authenticator's secrets, unless the
  /// redaction hides nothing.
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
