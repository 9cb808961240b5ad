import Foundation

extension RequestAgent {
  /// The agent's cache, to inspect and remove stored responses.
  public var cache: AgentCache {
    AgentCache(
      store: configuration.cache, refreshes: cacheRefreshes, policy: configuration.cachePolicy,
      selector: configuration.baseSelector, url: { try await self.explain($0).request.url },
      lookup: { try await self.lookUp($0) })
  }

  private func lookUp(_ request: some Request) async throws -> AgentCache.Lookup? {
    try await Explaining.run(request, by: self, isSent: false) { try await $0.lookup() }
  }

  /// Returns a stream with the stored value of a request, if usable, and then the value from the network.
  ///
  /// The stored response may have any age, unless the policy has a fixed lifetime. With
  /// ``CachePolicy/cacheOnly``, no value comes from the network, and a missing value is an error.
  public func values<R: Request>(for request: R) -> Streamed<Received<R.Response>> {
    let calls = CachedValues<R>.Calls(
      policy: configuration.cachePolicy, send: { try await self.response(for: $0) },
      lookup: { try await self.lookUp($0) })
    return Streamed { CachedValues(request: request, calls: calls) }
  }
}
