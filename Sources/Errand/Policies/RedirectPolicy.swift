/// Whether redirects are followed, and how many: one immutable value.
///
/// ```swift
/// var redirectPolicy: RedirectPolicy { .none }
/// var redirectPolicy: RedirectPolicy { .follow(upTo: 3) }
/// ```
///
/// The agent follows 301, 302, 303, 307 and 308 with a usable `Location` (RFC 9110 section 15.4), whatever the
/// transport. What it does not follow is a response like any other, which ``Request/validators`` judge; the default
/// validator refuses it. An error of kind ``RequestError/Kind/redirect`` ends the attempt when more redirects come
/// than allowed, when one leads from https to http or to another scheme than those two, and when one asks for a body again that can
/// be produced once. One that leads to a URL already sent counts like any other: a service may do so until it is ready.
/// To another scheme, host or port only header fields go along that say what is asked for and nothing of who asks, such as
/// `Accept` and `Range`.
public struct RedirectPolicy: Sendable, Hashable {
  /// What ``follow(upTo:)`` allows unless told otherwise: 10.
  public static let standardLimit = 10

  /// How many are followed; `nil` is the agent's choice.
  let limit: Int?

  private init(limit: Int?) { self.limit = limit }

  /// Follows none: every redirect is a response like any other.
  public static let none = RedirectPolicy(limit: 0)

  /// The agent's policy; in the agent's configuration, ``follow(upTo:)`` with its default.
  public static let inherited = RedirectPolicy(limit: nil)

  /// Follows that many redirects an attempt, 10 by default; one more is an error.
  ///
  /// 0 and less is ``none``.
  public static func follow(upTo limit: Int = standardLimit) -> RedirectPolicy {
    RedirectPolicy(limit: max(limit, 0))
  }
}

extension RedirectPolicy {
  /// Whether a redirect is followed.
  public enum Decision: Sendable, Hashable {
    /// It is followed, unless the rules of ``RedirectPolicy`` refuse it.
    case follow
    /// It is not: the 3xx, with its body, goes to the validators.
    case stop
  }
}
