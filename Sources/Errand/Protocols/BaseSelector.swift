package import Foundation

/// Selects the base URL of each attempt, in place of the agent's base URL.
///
/// See `Failover` of `ErrandService`.
package protocol BaseSelector: AnyObject, Sendable {
  var baseURLs: [URL] { get }

  /// Returns the base URL for an attempt; `nil` means the agent's base URL.
  ///
  /// `isExplanation` is true for a request that will not be sent.
  func selectBase(in context: RequestContext, isExplanation: Bool) -> URL?

  /// Returns the base URL selected for the current attempt; `nil` if none was selected.
  func currentBase(in context: RequestContext) -> URL?

  /// Records the end of an attempt, or the arrival of a stream's response head.
  ///
  /// - Parameters:
  ///   - failure: The failure of the base; `nil` after a success, or if the base did not cause the failure.
  ///   - hasResponse: True only if the base responded with a status other than 502, 503 and 504.
  ///   - context: The context of the attempt.
  func attemptDidStop(after failure: RequestError?, hasResponse: Bool, in context: RequestContext)

  /// Returns true if the base has failed and another base is healthy, so that a retry needs no wait.
  func hasHealthyBase(after failure: RequestError, in context: RequestContext) -> Bool
}

extension BaseSelector {
  /// Returns false for a request with an absolute URL or its own base URL.
  func selects(for request: some Request) -> Bool {
    request.customRequest == nil && request.baseURL == nil && !request.usesCDN
      && !URLJoining.isAbsolute(request.path)
  }

  /// Returns the base URL to which a URL belongs; `nil` if none matches.
  ///
  /// If several base URLs match, the longest path wins.
  package func base(of url: URL?) -> URL? {
    guard let url else { return nil }
    let matching = baseURLs.filter { base in
      guard Origin.same(base, url) else { return false }
      let path = base.path.hasSuffix("/") ? base.path : base.path + "/"
      return (url.path + "/").hasPrefix(path)
    }
    return matching.max { $0.path.utf8.count < $1.path.utf8.count }
  }

  /// Returns the base URL of a URL, or a substitute.
  ///
  /// The substitute is the first base URL with the same origin, or else the first base URL.
  package func nearestBase(to url: URL?) -> URL? {
    base(of: url) ?? url.flatMap { url in baseURLs.first { Origin.same($0, url) } } ?? baseURLs.first
  }
}
