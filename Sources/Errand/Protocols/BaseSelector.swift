package import Foundation

/// Selects the base URL of each attempt, in place of the agent's; see `Failover` of `ErrandService`.
package protocol BaseSelector: AnyObject, Sendable {
  var baseURLs: [URL] { get }

  /// Returns the base of an attempt; `nil`: the agent's base.
  ///
  /// - Parameter isExplanation: true for a request that is not sent.
  func selectBase(in context: RequestContext, isExplanation: Bool) -> URL?

  /// Records the end of an attempt.
  ///
  /// - Parameters:
  ///   - failure: `nil` after a success, and if the server had no part in the attempt.
  ///   - hasResponse: True if the server has responded.
  func attemptDidStop(after failure: RequestError?, hasResponse: Bool, in context: RequestContext)

  /// Returns true if a retry after a failure goes to a healthy base at once.
  func hasHealthyBase(after failure: RequestError, in context: RequestContext) -> Bool
}

extension BaseSelector {
  /// Returns the base over a URL; `nil`: none.
  package func base(of url: URL?) -> URL? {
    guard let url else { return nil }
    return baseURLs.first { base in
      guard Origin.same(base, url) else { return false }
      let path = base.path.hasSuffix("/") ? base.path : base.path + "/"
      return (url.path + "/").hasPrefix(path)
    }
  }
}
