import Foundation

/// The conditions, waits and limits of retries, as an immutable value.
///
/// ```swift
/// var retryPolicy: RetryPolicy { .upTo(3) }
/// var retryPolicy: RetryPolicy { .upTo(5, backoff: .constant(.milliseconds(200)), within: .seconds(3)) }
/// ```
///
/// With a limit, and without a `condition`, idempotent methods (RFC 9110 section 9.2.2), and other methods with an ``IdempotencyKey``, are
/// retried after ``statuses`` and connection failures. A body that can be produced once is never sent again. Waits use the agent's clock
/// and end at once after a cancellation. The agent's ``RetryBudget`` limits the share of retries for each origin.
public struct RetryPolicy: Sendable {
  /// The number of attempts after the first; `nil`: no limit.
  public var limit: Int?
  /// The waits before retries; by default 1 to 2 seconds, then doubled.
  public var backoff: RetryPolicy.Backoff
  /// The time since the start of the dispatch by which every wait must end; `nil`, the default: no limit.
  public var timeLimit: Duration?
  /// The retried statuses; ``alsoRetrying(statuses:)`` adds statuses.
  ///
  /// By default the statuses of an overloaded server, 408, 425, 429, 500, 502, 503, 504 and 529, and of a proxy without connection to the
  /// server, 520 to 524, 527, 530, 598 and 599.
  public var statuses: Set<Int> = RetryableStatuses.all
  /// True if connection failures are retried; `true` by default.
  public var retriesConnectionFailures = true
  /// True if methods that are not idempotent are retried too; `false` by default.
  ///
  /// The statuses or the ``condition`` decide on the failures. See ``retryingUnsafeMethods()``.
  public var retriesUnsafeMethods = false
  /// The longest wait at a server's request, 10 minutes by default; longer waits are shortened.
  ///
  /// A server requests a wait with `Retry-After` (RFC 9110 section 10.2.3), or, with 429 and 503, with `RateLimit`, or with
  /// `X-RateLimit-Remaining` and `-Reset`. Up to the cap, the requested wait is exact: no jitter shortens the wait.
  public var retryAfterCap: Duration = .seconds(600)
  /// Decides instead of the statuses and connection failures; `nil` by default.
  ///
  /// Called for repeatable requests: a method that is not idempotent needs an ``IdempotencyKey`` or ``retriesUnsafeMethods``.
  public var condition: (@Sendable (RequestError) -> Bool)?
  /// Runs after the decision to retry and before the wait, for example to renew a token; `nil` by default.
  ///
  /// `false` makes the failure final.
  public var prepare: (@Sendable (RequestError, RequestContext) async -> Bool)?

  /// A network path that ends waits early, see ``cuttingWaits(by:)``; `nil`, the default: no path.
  public var networkPath: NetworkPath?

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

  /// At most `retries` further attempts; a negative number counts as 0.
  public static func upTo(
    _ retries: Int, backoff: RetryPolicy.Backoff = .exponential(), within timeLimit: Duration? = nil
  ) -> RetryPolicy {
    RetryPolicy(limit: max(retries, 0), backoff: backoff, timeLimit: timeLimit, isInherited: false)
  }

  /// Any number of further attempts, limited only by back-off or time limit.
  public static func unlimited(
    backoff: RetryPolicy.Backoff = .exponential(endsAtCap: true), within timeLimit: Duration? = nil
  ) -> RetryPolicy {
    RetryPolicy(limit: nil, backoff: backoff, timeLimit: timeLimit, isInherited: false)
  }

  /// Returns the policy with another condition; see ``condition``.
  public func when(_ condition: @escaping @Sendable (RequestError) -> Bool) -> RetryPolicy {
    var policy = self
    policy.condition = condition
    return policy
  }

  /// Returns the policy with more retried statuses: `.upTo(3).alsoRetrying(statuses: 423)`.
  public func alsoRetrying(statuses more: Int...) -> RetryPolicy {
    var policy = self
    policy.statuses.formUnion(more)
    return policy
  }

  /// Returns the policy for methods that are not idempotent too, such as `POST`; see ``retriesUnsafeMethods``.
  ///
  /// The server may carry a request out twice, such as an order. An ``IdempotencyKey`` avoids the risk.
  public func retryingUnsafeMethods() -> RetryPolicy {
    var policy = self
    policy.retriesUnsafeMethods = true
    return policy
  }

  /// Returns the policy with a step before each retry; see ``prepare``.
  public func preparing(
    _ prepare: @escaping @Sendable (RequestError, RequestContext) async -> Bool
  ) -> RetryPolicy {
    var policy = self
    policy.prepare = prepare
    return policy
  }

  /// Returns the policy with waits that end when the network returns, before or during the wait.
  ///
  /// The number of retries is unchanged. Only the policy's ``backoff`` after a failure without a response is shortened; waits requested by
  /// the server's `Retry-After`, a request or a hook keep their length. The report has the planned wait. On systems without path updates,
  /// such as Linux, waits keep their length.
  ///
  /// All waiting dispatches continue at the same time, within ``AgentConfiguration/maxRequestsPerOrigin``.
  public func cuttingWaits(by path: NetworkPath = .system) -> RetryPolicy {
    var policy = self
    policy.networkPath = path
    return policy
  }

  var isOff: Bool { limit.map { $0 <= 0 } ?? false }
}

extension RetryPolicy {
  /// The decision on another attempt after a failure.
  public enum Decision: Sendable, Hashable {
    /// The failure is final.
    case stop
    /// Another attempt after a wait; a negative wait counts as zero.
    case retry(after: Duration)

    /// Another attempt at once.
    public static let retry = Decision.retry(after: .zero)
  }
}
