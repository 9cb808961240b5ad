/// The maximum number of followed redirects.
///
/// ```swift
/// var redirectPolicy: RedirectPolicy { .none }
/// var redirectPolicy: RedirectPolicy { .follow(upTo: 3) }
/// ```
///
/// The agent follows 301, 302, 303, 307 and 308 with a usable `Location` (RFC 9110 section 15.4). The
/// response of a redirect that is not followed goes to the ``Request/validators``.
///
/// The following redirects end the attempt with an error of kind ``RequestError/Kind/redirect``:
///
/// - a redirect beyond a limit above 0
/// - a redirect from https to http, or to a scheme other than http and https
/// - a redirect that would send a body again, if the body can be produced only once
///
/// After a redirect to another scheme, host or port, the next request keeps only harmless headers, such as
/// `Accept`, `Range` and `User-Agent`. Hooks run again, and may add headers.
public struct RedirectPolicy: Sendable, Hashable {
  /// The default limit of ``follow(upTo:)``: 10.
  public static let standardLimit = 10

  /// The maximum number of followed redirects; `nil` for ``inherited``.
  let limit: Int?

  private init(limit: Int?) { self.limit = limit }

  /// Follows no redirects: every redirect response goes to the validators.
  public static let none = RedirectPolicy(limit: 0)

  /// The agent's policy; in the agent's configuration, ``follow(upTo:)`` with the default limit.
  public static let inherited = RedirectPolicy(limit: nil)

  /// Follows up to `limit` redirects in an attempt; 10 by default.
  ///
  /// With a limit above 0, a further redirect is an error. A limit of 0 or less equals ``none``.
  public static func follow(upTo limit: Int = standardLimit) -> RedirectPolicy {
    RedirectPolicy(limit: max(limit, 0))
  }
}

extension RedirectPolicy {
  /// The decision on a redirect.
  public enum Decision: Sendable, Hashable {
    /// Follow the redirect, if the rules of ``RedirectPolicy`` allow the redirect.
    case follow
    /// Stop: the redirect response, with its body, goes to the validators.
    case stop
  }
}
