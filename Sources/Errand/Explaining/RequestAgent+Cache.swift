import Foundation

extension RequestAgent {
  /// The agent's cache, for inspection and removal.
  public var cache: AgentCache {
    AgentCache(
      store: configuration.cache, refreshes: cacheRefreshes, policy: configuration.cachePolicy
    ) { try await self.explain($0).request.url }
  }

  /// Returns the stored response for a request, without sending the request; `nil` if no response is stored.
  ///
  /// The request is built, passes every `filterRequest` hook and is signed, as in ``explain(_:)``. No request
  /// is sent, no accessory is called, and no validator judges the stored response.
  ///
  /// - Throws: the errors of ``explain(_:)``.
  public func cachedResponse(for request: some Request) async throws -> AgentCache.Lookup? {
    try await Explaining.run(request, by: self, isSent: false) { try await $0.lookup() }
  }

  /// Sends a request, and returns the stored value first: at most two values, from cache and network.
  ///
  /// ```swift
  /// for try await news in agent.values(for: GetNews()) { show(news.value) }
  /// ```
  ///
  /// Each value comes from a separate dispatch, with its hooks and accessories. The first value is a stored
  /// response of any age; with ``CachePolicy/fixed(time:version:scope:)``, only within the fixed lifetime. A
  /// stored response that is rejected or cannot be decoded is skipped.
  ///
  /// The second value comes from the network, and is stored as the request's ``Request/cachePolicy`` says. If
  /// the second dispatch fails, the sequence throws. With ``CachePolicy/cacheOnly``, the sequence has only
  /// the cache's value or its error.
  public func values<R: Request>(for request: R) -> Streamed<Received<R.Response>> {
    let calls = CachedValues<R>.Calls(
      policy: configuration.cachePolicy, send: { try await self.response(for: $0) },
      lookup: { try await self.cachedResponse(for: $0) })
    return Streamed { CachedValues(request: request, calls: calls) }
  }
}
