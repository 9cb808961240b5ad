public import ErrandJSON
public import Foundation

/// What is fixed when a ``RequestAgent`` is made, besides its transport, hooks and accessories.
public struct AgentConfiguration: Sendable {
  /// The base of requests with ``Request/usesCDN``; `nil` by default.
  public var cdnURL: URL?
  /// Sent with every request but a ``Request/customRequest``, unless it has the same name in its own; empty by default.
  ///
  /// To an origin that is not among ``trustedOrigins`` only those go that say nothing of the sender, such as `Accept`.
  public var headers: HTTPHeaders = [:]
  /// Added to the ``Request/parameters`` of every request, before its own; empty by default.
  ///
  /// They go where the request's go: into the query, or into a body of parameters. A key that the request has too, in its
  /// parameters, its ``Request/query`` or the query of its ``Request/path``, is the request's alone. None are added to a
  /// ``Request/customRequest``, to a path that is a `data:` URL, or to one that is a URL of another origin than the base. A
  /// ``Secret`` among them is hidden in everything the agent prints, as are values under the names of secrets.
  public var parameters: Parameters = [:]
  /// The `User-Agent` sent unless the headers have one; `nil` sends none.
  public var userAgent: String? = DefaultHeaders.userAgent
  /// Gives the `User-Agent` in place of ``userAgent``, where it takes time to find out; `nil` by default.
  ///
  /// Asked once, off the main actor unless marked for it, when the first request without a `User-Agent` of its own is built:
  /// that one and those that come meanwhile wait for it, no longer than their limits of time allow, and the answer is kept
  /// for the life of the agent. Characters that may not stand in the field are left out; `nil`, and a text of nothing else,
  /// mean ``userAgent``. What the closure itself sends by the agent goes with ``userAgent`` and does not wait.
  public var makeUserAgent: (@Sendable () async -> String?)?
  /// The `Accept-Language` sent unless the headers have one; the user's languages by default, `nil` sends none.
  ///
  /// On Linux they are those of `LC_ALL`, `LC_MESSAGES` and `LANG`; none with `C` and `POSIX`.
  public var acceptLanguage: String? = DefaultHeaders.acceptLanguage
  /// How JSON is read and written unless the request has its own; the defaults of Foundation by default.
  ///
  /// `.snakeCase.iso8601` is such a value; coders of your own make one with ``/ErrandJSON/JSONCoding/init(decoder:encoder:)``.
  public var jsonCoding = JSONCoding()
  /// The policy of requests whose own is `.inherited`; `.none` by default.
  public var retryPolicy: RetryPolicy = .none
  /// The policy of requests whose own is `.inherited`; follows up to 10 redirects an attempt by default.
  public var redirectPolicy: RedirectPolicy = .follow()
  /// How long an attempt of a request that states no ``Request/timeout`` may be without progress; 60 seconds by default.
  public var timeout: Duration = .seconds(60)
  /// How long a dispatch of a request that states no ``Request/deadline`` may take; `nil`, the default, is no limit.
  ///
  /// A call without a limit under an agent that has one is sent `.with(\.deadline, nil)`. The connections of
  /// ``RequestAgent/serverSentEvents(of:after:idleTimeout:maxFailures:limit:)``, which may last for any time, have the deadline of their
  /// request alone.
  public var deadline: Duration?
  /// Puts credentials on requests whose ``Request/authentication`` is `.inherited`; `nil`, the default, on none.
  ///
  /// It signs every such request that goes to one of the ``trustedOrigins``: an agent with an authenticator sends to one
  /// service.
  public var authenticator: (any Authenticator)?
  /// The origins (scheme, host and port) that credentials may go to besides those of the bases; empty by default.
  ///
  /// The bases are the agent's, the ``cdnURL``, and a request's own ``Request/baseURL`` and ``Request/cdnURL``: code names
  /// them. A URL in a ``Request/path``, or in a ``Request/customRequest``, may have come from data; where it leads elsewhere,
  /// the authenticator does not sign, a request's own neither, and of ``headers`` only those go that say nothing
  /// of the sender. A request's own ``Request/headers`` are sent as it says. What was left out is in
  /// ``AttemptReport/withheld`` and in ``RequestAgent/explain(_:)``. The rest of such a URL does not count. A redirect takes
  /// credentials to no other origin, listed or not.
  public var trustedOrigins: [URL] = []
  /// The cookies of requests whose own are `.inherited`; `nil`, the default, sends and keeps none.
  ///
  /// Agents share cookies only where they are given the same store.
  public var cookies: CookieStore?
  /// Keeps answers, as the ``cachePolicy`` and those of requests say; `nil`, the default, keeps none.
  ///
  /// ``MemoryCache`` and ``DiskCache`` are such; agents share answers only where they are given the same one.
  public var cache: ResponseCache?
  /// The policy of requests whose own is `.inherited`; ``CachePolicy/standard``, RFC 9111, by default.
  public var cachePolicy: CachePolicy = .standard
  /// Where requests may go; https anywhere, and http to this machine and to origins that code names, by default.
  public var destinations = DestinationPolicy()
  /// Whether requests may answer themselves by their ``Request/mockPolicy``; `false` by default.
  ///
  /// For builds that never reach users: a mock that slips through looks like the server.
  public var allowsMocks = false
  /// How many attempts may run at once for one origin: scheme, host and port of the URL; 10 by default, 0 for any
  /// number.
  ///
  /// The others wait, by ``Request/priority``. A living agent has ``RequestAgent/maxRequestsPerOrigin``. A number below
  /// 0 is taken for 0.
  public var maxRequestsPerOrigin = 10
  /// How much a transfer may take, unless the request has its own limits.
  public var limits = TransferLimits()
  /// Hides secrets in everything printed; ``Redaction/standard`` by default.
  public var redaction: Redaction = .standard
  /// Measures times and waits; the continuous clock by default.
  public var clock: AgentClock = .continuous
  /// Gives 0..<1 for the random part of retry waits; the system's generator by default.
  public var jitter: @Sendable () -> Double = SystemRandom.fraction
  /// Gives the keys of ``IdempotencyKey/automatic``; random UUIDs in small letters by default.
  public var makeIdempotencyKey: @Sendable () -> String = SystemRandom.key
  /// Bounds how many requests to an origin may be retries; ``RetryBudget/standard`` by default.
  public var retryBudget: RetryBudget = .standard
  /// Stops asking an origin that fails most of the time; `nil`, the default, is none.
  public var circuitBreaker: CircuitBreaker?
  /// How many requests are sent to an origin; `nil`, the default, is no limit.
  public var rateLimit: RateLimit?

  /// Makes the defaults.
  public init() {}

  /// Makes a configuration; what is left out has its default, `nil` for `jitter` and `makeIdempotencyKey` included.
  ///
  /// ```swift
  /// let configuration = AgentConfiguration(headers: ["X-Client": "shop"], retryPolicy: .upTo(2), timeout: .seconds(10))
  /// ```
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
    maxRequestsPerOrigin: Int = 10,
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
    (self.maxRequestsPerOrigin, self.limits, self.redaction) = (maxRequestsPerOrigin, limits, redaction)
    self.clock = clock
    if let jitter { self.jitter = jitter }
    if let makeIdempotencyKey { self.makeIdempotencyKey = makeIdempotencyKey }
    (self.retryBudget, self.circuitBreaker, self.rateLimit) = (retryBudget, circuitBreaker, rateLimit)
  }
}

extension AgentConfiguration {
  /// The timeout of a request: the request's own, else the agent's.
  @inline(__always)
  func timeout(of request: some Request) -> Duration {
    let own = request.timeout
    return own == .unstatedTimeout ? timeout : own
  }

  /// The deadline of a request: the request's own, else the agent's; `nil` where the call lifted both.
  @inline(__always)
  func deadline(of request: some Request) -> Duration? {
    if let own = request.deadline { return own }
    return deadline == nil || Self.liftsDeadline(request) ? nil : deadline
  }

  @inline(never)
  private static func liftsDeadline(_ request: some Request) -> Bool {
    (request as? any RequestWrapper)?.overrides(\.deadline) == true
  }
}

extension AgentConfiguration: PrintedByDescription {
  /// The CDN URL and the headers; secrets hidden by its own ``Redaction``.
  public var description: String {
    let fields = redaction.headers(headers).fields.map { "\($0.name): \($0.value)" }
    return ([cdnURL.map(redaction.url) ?? "no CDN URL"] + fields).joined(separator: "\n").printed
  }
}
