public import Foundation

/// The cache of an agent, as one asks and clears it: ``RequestAgent/cache``.
///
/// Without ``AgentConfiguration/cache`` there is nothing in it, and nothing is done. What the agent has under way is not kept after it was removed.
public struct AgentCache: Sendable {
  /// The store of the agent; `nil` for none.
  let store: ResponseCache?
  let refreshes: CacheRefreshes
  /// The policy of requests that inherit it.
  let policy: CachePolicy
  /// Builds a request and returns its URL.
  let url: @Sendable (any Request) async throws -> URL

  /// Removes what is stored for the URL of a request, whosever it is.
  ///
  /// The request is built, and passes every `filterRequest`, as in ``RequestAgent/explain(_:)``.
  ///
  /// - Throws: what ``RequestAgent/explain(_:)`` does.
  public func remove(for request: some Request) async throws {
    guard let store else { return }
    let url = try await url(request)
    let policy = request.cachePolicy.completed(by: policy)
    guard let text = CacheKey.canonical(url, ignoring: policy.ignoredItems) else { return }
    refreshes.revoke(text)
    await store.removeAll(of: text)
  }

  /// Removes what is stored for an origin: scheme, host and port of the URL.
  public func remove(origin: URL) async {
    guard let origin = Origin(origin)?.shownText else { return }
    refreshes.revoke { key, _ in key.url.hasPrefix(origin + "/") }
    await store?.removeAll { key, _ in key.url.hasPrefix(origin + "/") }
  }

  /// Removes what was stored under a tag of ``CachePolicy/tagged(_:)``.
  public func remove(tag: String) async {
    refreshes.revoke { _, tags in tags.contains(tag) }
    await store?.removeAll { _, response in response.tags.contains(tag) }
  }

  /// Removes everything.
  public func removeAll() async {
    refreshes.revoke { _, _ in true }
    await store?.removeAll { _, _ in true }
  }
}

extension AgentCache {
  /// What a stored answer would be for a request: ``RequestAgent/cachedResponse(for:)``.
  public struct Lookup: Sendable {
    /// The answer, with its age, and its body.
    public var response: HTTPResponse
    /// Whether a dispatch would be answered with it and nothing sent.
    public var isUsable: Bool
    /// Why it would be, or would not, as a clause.
    public var reason: String
  }
}

extension AgentCache.Lookup: PrintedByDescription {
  /// Such as `usable, it is fresh for 55 s more: 200 OK …`; secrets hidden.
  public var description: String { "\(isUsable ? "usable" : "not usable"), \(reason): \(response)" }
}
