package import Foundation

/// Selects the base URL of each attempt, in place of the agent's; see `Failover` of `ErrandService`.
package protocol BaseSelector: AnyObject, Sendable {
  var baseURLs: [URL] { get }

  /// Returns the base of an attempt; `nil`: the agent's base.
  ///
  /// - Parameter isExplanation: true for a request that is not sent.
  func selectBase(in context: RequestContext, isExplanation: Bool) -> URL?

  /// Returns the base of the current attempt; `nil`: no base was selected.
  func currentBase(in context: RequestContext) -> URL?

  /// Records the end of an attempt, and the head of a stream.
  ///
  /// - Parameters:
  ///   - failure: `nil` after a success, and if the base had no part in the failure.
  ///   - hasResponse: True if the base has responded, with another status than 502, 503 and 504.
  func attemptDidStop(after failure: RequestError?, hasResponse: Bool, in context: RequestContext)

  /// Returns true if a retry after a failure goes to a healthy base at once.
  func hasHealthyBase(after failure: RequestError, in context: RequestContext) -> Bool
}

extension BaseSelector {
  /// False for a request with an absolute URL or its own base.
  func selects(for request: some Request) -> Bool {
    request.customRequest == nil && request.baseURL == nil && !request.usesCDN
      && !URLJoining.isAbsolute(request.path)
  }

  /// Returns the base with the longest path over a URL; `nil`: none.
  package func base(of url: URL?) -> URL? {
    guard let url else { return nil }
    let matching = baseURLs.filter { base in
      guard Origin.same(base, url) else { return false }
      let path = base.path.hasSuffix("/") ? base.path : base.path + "/"
      return (url.path + "/").hasPrefix(path)
    }
    return matching.max { $0.path.utf8.count < $1.path.utf8.count }
  }

  /// Returns the base over a URL, or else the first base of the URL's origin, or else the first base.
  package func nearestBase(to url: URL?) -> URL? {
    base(of: url) ?? url.flatMap { url in baseURLs.first { Origin.same($0, url) } } ?? baseURLs.first
  }
}
