import Foundation

extension RequestAgent {
  /// The agent's cache, for inspection and removal.
  public var cache: AgentCache {
    AgentCache(
      store: configuration.cache, refreshes: cacheRefreshes, policy: configuration.cachePolicy,
      url: { try await self.explain($0).request.url }, lookup: { try await self.lookUp($0) })
  }

  private func lookUp(_ request: some Request) async throws -> AgentCache.Lookup? {
    try await Explaining.run(request, by: self, isSent: false) { try await $0.lookup() }
  }

  /// Sends a request, and returns the stored value first: at most two values, from cache and network.
  ///
  /// Each value comes from a separate dispatch. The first is a stored response of any age, or within the policy's fixed lifetime, and is skipped
  /// if rejected. The second is stored as ``Request/cachePolicy`` says. With ``CachePolicy/cacheOnly``, there is no second value.
  public func values<R: Request>(for request: R) -> Streamed<Received<R.Response>> {
    let calls = CachedValues<R>.Calls(
      policy: configuration.cachePolicy, send: { try await self.response(for: $0) },
      lookup: { try await self.lookUp($0) })
    return Streamed { CachedValues(request: request, calls: calls) }
  }
}
