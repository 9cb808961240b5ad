/// The number of followed redirects, as an immutable value.
///
/// ```swift
/// var redirectPolicy: RedirectPolicy { .none }
/// var redirectPolicy: RedirectPolicy { .follow(upTo: 3) }
/// ```
///
/// The agent follows 301, 302, 303, 307 and 308 with a usable `Location` (RFC 9110 section 15.4), with every transport. A redirect that is
/// not followed is a response for the ``Request/validators``; the default validator refuses the status. An error of kind
/// ``RequestError/Kind/redirect`` ends the attempt after more redirects than allowed, for a redirect from https to http or to a scheme
/// other than http and https, and if a body that can be produced once would be sent again. A redirect to an earlier URL counts like any
/// redirect, because a service may redirect until a result is ready. At another scheme, host or port, only fields without information on
/// the sender are sent, such as `Accept` and `Range`.
public struct RedirectPolicy: Sendable, Hashable {
  /// The default limit of ``follow(upTo:)``: 10.
  public static let standardLimit = 10

  /// The number of followed redirects; `nil` means the agent's.
  let limit: Int?

  private init(limit: Int?) { self.limit = limit }

  /// Follows no redirects: every redirect is a response for the validators.
  public static let none = RedirectPolicy(limit: 0)

  /// The agent's policy; in the agent's configuration, ``follow(upTo:)`` with the default limit.
  public static let inherited = RedirectPolicy(limit: nil)

  /// Follows up to `limit` redirects in an attempt, 10 by default; a further redirect is an error.
  ///
  /// 0 and less is ``none``.
  public static func follow(upTo limit: Int = standardLimit) -> RedirectPolicy {
    RedirectPolicy(limit: max(limit, 0))
  }
}

extension RedirectPolicy {
  /// The decision on a redirect.
  public enum Decision: Sendable, Hashable {
    /// Follow the redirect, unless the rules of ``RedirectPolicy`` refuse the redirect.
    case follow
    /// Stop: the 3xx, with its body, goes to the validators.
    case stop
  }
}
