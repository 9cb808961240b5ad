import Foundation

/// What is tried again, when, how often and for how long: one immutable value.
///
/// ```swift
/// var retryPolicy: RetryPolicy { .upTo(3) }
/// var retryPolicy: RetryPolicy { .upTo(5, backoff: .constant(.milliseconds(200)), within: .seconds(3)) }
/// ```
///
/// Once a limit is set, and unless `condition` says otherwise, idempotent methods (RFC 9110 section 9.2.2), and any other
/// with an ``IdempotencyKey``, are tried again after the ``statuses`` that may pass and after connection failures. A body that
/// can be produced once is never sent again. Waits run on the agent's clock and end at once on cancellation. How many
/// requests to one origin are retries is bounded by the agent's ``RetryBudget``.
public struct RetryPolicy: Sendable {
  /// How many attempts may follow the first; `nil` is no limit.
  public var limit: Int?
  /// How long to wait before each; 1 to 2 seconds, then doubled, by default.
  public var backoff: RetryPolicy.Backoff
  /// No retry starts when its wait would end this long after the start of the dispatch, or later; `nil`, the default,
  /// is no limit.
  public var timeLimit: Duration?
  /// The statuses tried again; see ``alsoRetrying(statuses:)`` for others besides.
  ///
  /// By default those of a server that may do better soon, 408, 425, 429, 500, 502, 503, 504 and 529, and of a proxy that could not reach
  /// it, 520 to 524, 527, 530, 598 and 599.
  public var statuses: Set<Int> = RetryableStatuses.all
  /// Whether connection failures are tried again; `true` by default.
  public var retriesConnectionFailures = true
  /// Whether methods that are not idempotent are tried again too; `false` by default.
  ///
  /// The statuses or the ``condition`` say after what. See ``retryingUnsafeMethods()``.
  public var retriesUnsafeMethods = false
  /// The longest wait a server may ask for; a longer one is cut.
  ///
  /// 10 minutes by default. It asks with `Retry-After` (RFC 9110, 10.2.3); or, with 429 and 503, with `RateLimit`, or
  /// the common `X-RateLimit-Remaining` and `-Reset`. Up to the cap the server's wait is used exactly: no jitter
  /// shortens it.
  public var retryAfterCap: Duration = .seconds(600)
  /// Decides instead of the statuses and the connection failures; `nil` by default.
  ///
  /// It is asked of requests that may be repeated: of a method that is not idempotent only with an ``IdempotencyKey``, or where
  /// ``retriesUnsafeMethods`` says so.
  public var condition: (@Sendable (RequestError) -> Bool)?
  /// Runs after the policy, the request and the hooks decided to retry and before the wait, for example to renew a
  /// token; `false` lets the failure stand.
  ///
  /// `nil` by default.
  public var prepare: (@Sendable (RequestError, RequestContext) async -> Bool)?

  /// What ends a wait early, see ``cuttingWaits(by:)``.
  ///
  /// `nil`, the default, is nothing.
  public var networkPath: (any NetworkPath)?

  let isInherited: Bool

  private init(limit: Int?, backoff: RetryPolicy.Backoff, timeLimit: Duration?, isInherited: Bool) {
    self.limit = limit
    self.backoff = backoff
    self.timeLimit = timeLimit
    self.isInherited = isInherited
  }

  /// No retry.
  public static let none = RetryPolicy(
    limit: 0, backoff: .constant(), timeLimit: nil, isInherited: false)

  /// The agent's policy.
  public static let inherited = RetryPolicy(
    limit: 0, backoff: .constant(), timeLimit: nil, isInherited: true)

  /// At most `retries` further attempts; a negative number is none.
  public static func upTo(
    _ retries: Int, backoff: RetryPolicy.Backoff = .exponential(), within timeLimit: Duration? = nil
  ) -> RetryPolicy {
    RetryPolicy(limit: max(retries, 0), backoff: backoff, timeLimit: timeLimit, isInherited: false)
  }

  /// Any number of further attempts, bounded by the backoff or the time limit only.
  public static func unlimited(
    backoff: RetryPolicy.Backoff = .exponential(endsAtCap: true), within timeLimit: Duration? = nil
  ) -> RetryPolicy {
    RetryPolicy(limit: nil, backoff: backoff, timeLimit: timeLimit, isInherited: false)
  }

  /// The same policy with another condition; see ``condition``.
  public func when(_ condition: @escaping @Sendable (RequestError) -> Bool) -> RetryPolicy {
    var policy = self
    policy.condition = condition
    return policy
  }

  /// The same policy with more statuses that are tried again: `.upTo(3).alsoRetrying(statuses: 423)`.
  public func alsoRetrying(statuses more: Int...) -> RetryPolicy {
    var policy = self
    policy.statuses.formUnion(more)
    return policy
  }

  /// The same policy for methods that are not idempotent too, such as `POST`; see ``retriesUnsafeMethods``.
  ///
  /// What was done may be done again: an order placed twice. An ``IdempotencyKey`` has no such risk.
  public func retryingUnsafeMethods() -> RetryPolicy {
    var policy = self
    policy.retriesUnsafeMethods = true
    return policy
  }

  /// The same policy with a step before each retry; see ``prepare``.
  public func preparing(
    _ prepare: @escaping @Sendable (RequestError, RequestContext) async -> Bool
  ) -> RetryPolicy {
    var policy = self
    policy.prepare = prepare
    return policy
  }

  /// The same policy, whose waits end as soon as the network is there again after it was not, at once or while it waits.
  ///
  /// It makes no retry that would not be made, and each counts as ever. What is cut short is the wait of the policy's ``backoff`` after a
  /// failure without a response: the server's `Retry-After`, and what a request or a hook has asked for, are waited for in full. The
  /// report has the wait that was planned. Where the system does not tell of paths, as on Linux, nothing is cut.
  ///
  /// All that wait go on at the same time, within ``AgentConfiguration/maxRequestsPerOrigin``.
  public func cuttingWaits(by path: any NetworkPath = .system) -> RetryPolicy {
    var policy = self
    policy.networkPath = path
    return policy
  }

  var isOff: Bool { limit.map { $0 <= 0 } ?? false }
}

extension RetryPolicy {
  /// Whether a failed attempt is made again.
  public enum Decision: Sendable, Hashable {
    /// The failure stands.
    case stop
    /// Another attempt after a wait; a negative wait is none.
    case retry(after: Duration)

    /// Another attempt at once.
    public static let retry = Decision.retry(after: .zero)
  }
}
