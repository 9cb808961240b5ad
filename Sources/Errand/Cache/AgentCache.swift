public import Foundation

/// The cache of an agent, for inspection and removal: ``RequestAgent/cache``.
///
/// Without ``AgentConfiguration/cache``, the cache is empty.
public struct AgentCache: Sendable {
  let store: ResponseCache?
  let refreshes: CacheRefreshes
  let policy: CachePolicy
  let selector: (any BaseSelector)?
  let url: @Sendable (any Request) async throws -> URL
  let lookup: @Sendable (any Request) async throws -> Lookup?

  /// Returns the stored response without sending the request.
  ///
  /// Returns `nil` if no stored response fits the request and the cache policy.
  ///
  /// With several base URLs, looks under the base URL that the next dispatch would use.
  ///
  /// - Throws: the errors of ``RequestAgent/explain(_:)``, and a ``TransportError`` if a stored body cannot
  ///   be read.
  public func response(for request: some Request) async throws -> Lookup? { try await lookup(request) }

  /// Removes all responses stored under a request's URL, with any credentials and method.
  ///
  /// With several base URLs, removes the responses of all base URLs.
  ///
  /// - Throws: the errors of ``RequestAgent/explain(_:)``.
  public func remove(for request: some Request) async throws {
    guard let store else { return }
    let policy = request.cachePolicy.completed(by: policy)
    for url in try await urls(of: request) {
      for text in CacheKey.canonical(url, withAndWithout: policy.ignoredItems) {
        refreshes.revoke(text)
        await store.removeAll(of: text)
      }
    }
  }

  private func urls(of request: some Request) async throws -> [URL] {
    guard let selector, !selector.baseURLs.isEmpty, selector.selects(for: request) else {
      return [try await url(request)]
    }
    var urls: [URL] = []
    for base in selector.baseURLs {
      let url = try await url(request.with(\.baseURL, base))
      urls.append(url)
    }
    return urls
  }

  /// Removes all responses stored for an origin: the scheme, host and port of the URL.
  public func remove(origin: URL) async {
    guard let origin = Origin(origin)?.shownText else { return }
    refreshes.revoke { key, _ in key.url.hasPrefix(origin + "/") }
    await store?.removeAll { key, _ in key.url.hasPrefix(origin + "/") }
  }

  /// Removes all responses stored with a tag of ``CachePolicy/tagged(_:)``.
  public func remove(tag: String) async {
    refreshes.revoke { _, tags in tags.contains(tag) }
    await store?.removeAll { _, response in response.tags.contains(tag) }
  }

  /// Removes all stored responses.
  public func removeAll() async {
    refreshes.revoke { _, _ in true }
    await store?.removeAll { _, _ in true }
  }
}

extension AgentCache {
  /// The stored response for a request, from ``AgentCache/response(for:)``.
  public struct Lookup: Sendable {
    /// The response that the cache would give.
    public var response: HTTPResponse
    /// True if the cache would give the response without waiting for the server.
    public var isUsable: Bool
    /// The reason for ``isUsable``, as a clause.
    public var reason: String
  }
}

extension AgentCache.Lookup: PrintedByDescription {
  /// A text such as `usable, the stored response is fresh for 55 s more: 200 OK …`.
  public var description: String { "\(isUsable ? "usable" : "not usable"), \(reason): \(response)" }
}
