/// The maximum number of followed redirects.
///
/// ```swift
/// var redirectPolicy: RedirectPolicy { .none }
/// var redirectPolicy: RedirectPolicy { .follow(upTo: 3) }
/// ```
///
/// The agent follows 301, 302, 303, 307 and 308 (RFC 9110 section 15.4). Following a redirect from https to
/// http, or beyond the limit, fails with ``RequestError/Kind/redirect``.
///
/// After a redirect to another origin, the request keeps only harmless headers, such as `Accept`.
public struct RedirectPolicy: Sendable, Hashable {
  /// The default limit of ``follow(upTo:)``: 10.
  public static let standardLimit = 10

  let limit: Int?

  private init(limit: Int?) { self.limit = limit }

  /// Follows no redirects: the redirect response goes to the validators.
  public static let none = RedirectPolicy(limit: 0)

  /// The agent's policy.
  public static let inherited = RedirectPolicy(limit: nil)

  /// Follows up to `limit` redirects in an attempt; 10 by default.
  public static func follow(upTo limit: Int = standardLimit) -> RedirectPolicy {
    RedirectPolicy(limit: max(limit, 0))
  }
}

extension RedirectPolicy {
  /// The decision on a redirect.
  public enum Decision: Sendable, Hashable {
    /// Follow the redirect, if the rules of ``RedirectPolicy`` allow the redirect.
    case follow
    /// Stop: the redirect response goes to the validators.
    case stop
  }
}
