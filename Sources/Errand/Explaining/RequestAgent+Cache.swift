import Foundation

extension RequestAgent {
  /// What the agent has in its cache, to be cleared.
  public var cache: AgentCache {
    AgentCache(
      store: configuration.cache, refreshes: cacheRefreshes, policy: configuration.cachePolicy
    ) { try await self.explain($0).request.url }
  }

  /// What is stored for a request, without loading anything; `nil` where nothing is.
  ///
  /// The request is built, passes every `filterRequest` and is signed, as in ``explain(_:)``; nothing is sent, and no accessory is told. What it gives has
  /// passed no validator.
  ///
  /// - Throws: what ``explain(_:)`` does.
  public func cachedResponse(for request: some Request) async throws -> AgentCache.Lookup? {
    try await Explaining.run(request, by: self, isSent: false) { try await $0.lookup() }
  }

  /// Sends a request, and gives what is stored for it first: at most two values, the cache's and the network's.
  ///
  /// ```swift
  /// for try await news in agent.values(for: GetNews()) { show(news.value) }
  /// ```
  ///
  /// Each is a dispatch of its own, with its hooks and accessories. The first is given where something is stored that stands for the request, however old, or
  /// for a fixed time where it is within it; one that is refused, or cannot be decoded, is left out. The second comes from the network, and is kept as the
  /// request's ``Request/cachePolicy`` says; where it fails, so does the sequence. Under ``CachePolicy/cacheOnly`` there is the cache's alone, or its error.
  public func values<R: Request>(for request: R) -> Streamed<Received<R.Response>> {
    let calls = CachedValues<R>.Calls(
      policy: configuration.cachePolicy, send: { try await self.response(for: $0) },
      lookup: { try await self.cachedResponse(for: $0) })
    return Streamed { CachedValues(request: request, calls: calls) }
  }
}
