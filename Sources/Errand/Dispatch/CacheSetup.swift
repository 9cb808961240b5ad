/// Connects a dispatch to the cache.
enum CacheSetup {
  /// Returns the cache access of a dispatch.
  ///
  /// Returns `nil` if the agent has no cache, and the policy allows requests to the server.
  @inline(__always)
  static func access(
    for request: some Request, of agent: RequestAgent, over transport: @autoclosure () -> any Transport
  ) -> CacheAccess? {
    needsAccess(request, of: agent) ? makeAccess(for: request, agent, over: transport()) : nil
  }

  @inline(__always)
  private static func needsAccess(_ request: some Request, of agent: RequestAgent) -> Bool {
    // Pattern matching, because a comparison with `nil` would retain the cache.
    if case .some = agent.configuration.cache { return true }
    let own = request.cachePolicy
    return own.sendsNothing || own.isInherited && agent.configuration.cachePolicy.sendsNothing
  }

  @inline(never)
  private static func makeAccess(
    for request: some Request, _ agent: RequestAgent, over transport: any Transport
  ) -> CacheAccess {
    let (own, configuration) = (request.cachePolicy, agent.configuration)
    return CacheAccess(
      configuration.cache ?? MemoryCache(capacity: 0), policy: own.completed(by: configuration.cachePolicy),
      clock: configuration.clock, refreshes: agent.cacheRefreshes, redaction: configuration.redaction,
      limits: request.limits ?? configuration.limits, transport: transport)
  }
}
