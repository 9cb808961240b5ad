import Foundation

extension RequestAgent {
  /// The agent's cache, to inspect and remove stored responses.
  public var cache: AgentCache {
    AgentCache(
      store: configuration.cache, refreshes: cacheRefreshes, policy: configuration.cachePolicy,
      urls: { try await self.cachedURLs(of: $0) }, lookup: { try await self.lookUp($0) })
  }

  private func cachedURLs(of request: some Request) async throws -> [URL] {
    guard let bases = configuration.baseSelector?.baseURLs, !bases.isEmpty, request.customRequest == nil,
      request.baseURL == nil, !request.usesCDN, !URLJoining.isAbsolute(request.path)
    else { return [try await explain(request).request.url] }
    var urls: [URL] = []
    for base in bases {
      let explanation = try await explain(request.with(\.baseURL, base))
      urls.append(explanation.request.url)
    }
    return urls
  }

  private func lookUp(_ request: some Request) async throws -> AgentCache.Lookup? {
    try await Explaining.run(request, by: self, isSent: false) { try await $0.lookup() }
  }

  /// Returns the stored value of a request, if usable, then the value from the network.
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
