import Foundation

/// The conditions, waits and limits of retries.
///
/// ```swift
/// var retryPolicy: RetryPolicy { .upTo(3) }
/// var retryPolicy: RetryPolicy { .upTo(5, backoff: .constant(.milliseconds(200)), within: .seconds(3)) }
/// ```
///
/// By default, the policy retries idempotent methods (RFC 9110 section 9.2.2) after ``statuses`` and
/// connection failures. An ``IdempotencyKey`` or ``retriesUnsafeMethods`` adds the other methods. A body that
/// can be produced only once is not sent again. The agent's ``RetryBudget`` limits the policy's retries for
/// each origin.
public struct RetryPolicy: Sendable {
  /// The maximum number of retries by the policy; a negative number counts as 0, and `nil` means no limit.
  public var limit: Int?
  /// The waits before retries; exponential by default.
  public var backoff: RetryPolicy.Backoff
  /// The policy plans no retry later than this time after the start of the dispatch.
  ///
  /// `nil`, the default: no limit.
  public var timeLimit: Duration?
  /// The statuses after which the policy retries; ``alsoRetrying(statuses:)`` adds statuses.
  ///
  /// By default:
  ///
  /// - 408, 425 and 429: the request came too late, too early or too often
  /// - 500, 502, 503, 504 and 529: the server is overloaded or failing
  /// - 520 to 524, 527, 530, 598 and 599: a proxy could not reach the server, or got no complete response
  public var statuses: Set<Int> = RetryableStatuses.all
  /// True if failures with ``RequestError/isConnectionFailure`` are retried; `true` by default.
  public var retriesConnectionFailures = true
  /// True if methods that are not idempotent are retried too; `false` by default.
  ///
  /// See ``retryingUnsafeMethods()`` for the risk.
  public var retriesUnsafeMethods = false
  /// The longest wait that a response may request before a retry; 10 minutes by default.
  ///
  /// A longer wait is shortened. A server requests a wait with `Retry-After` (RFC 9110 section 10.2.3). In a
  /// 429 or 503, headers such as `RateLimit` and `X-RateLimit-Reset` may request a wait too. A requested wait
  /// replaces the wait of ``backoff``.
  public var retryAfterCap: Duration = .seconds(600)
  /// Returns true if the policy covers a failure; replaces ``statuses`` and ``retriesConnectionFailures``.
  ///
  /// `nil` by default. A built request with a method that is not idempotent still needs an ``IdempotencyKey``
  /// or ``retriesUnsafeMethods``.
  public var condition: (@Sendable (RequestError) -> Bool)?
  /// Runs after the decision to retry and before the wait, for example to renew a token.
  ///
  /// `nil` by default. If the closure returns `false`, no retry follows. Does not run before an attempt granted
  /// by the authenticator.
  public var prepare: (@Sendable (RequestError, RequestContext) async -> Bool)?

  /// The network path whose return after an outage ends waits early; `nil`, the default: no path.
  ///
  /// See ``cuttingWaits(by:)``.
  public var networkPath: NetworkPath?

  let isInherited: Bool
  /// The changes of ``inherited``, made by the methods below.
  private var changes: [@Sendable (inout RetryPolicy) -> Void] = []

  private init(limit: Int?, backoff: RetryPolicy.Backoff, timeLimit: Duration?, isInherited: Bool) {
    self.limit = limit
    self.backoff = backoff
    self.timeLimit = timeLimit
    self.isInherited = isInherited
  }

  /// No retries by the policy.
  public static let none = RetryPolicy(
    limit: 0, backoff: .constant(), timeLimit: nil, isInherited: false)

  /// The retry policy of the agent.
  ///
  /// A method such as ``alsoRetrying(statuses:)`` changes the agent's policy for the request. Properties of
  /// ``inherited`` have no effect.
  public static let inherited = RetryPolicy(
    limit: 0, backoff: .constant(), timeLimit: nil, isInherited: true)

  /// At most `retries` retries by the policy; a negative number counts as 0.
  public static func upTo(
    _ retries: Int, backoff: RetryPolicy.Backoff = .exponential(), within timeLimit: Duration? = nil
  ) -> RetryPolicy {
    RetryPolicy(limit: max(retries, 0), backoff: backoff, timeLimit: timeLimit, isInherited: false)
  }

  /// Any number of retries, until the back-off or another limit, such as the deadline, ends the retries.
  public static func unlimited(
    backoff: RetryPolicy.Backoff = .exponential(endsAtCap: true), within timeLimit: Duration? = nil
  ) -> RetryPolicy {
    RetryPolicy(limit: nil, backoff: backoff, timeLimit: timeLimit, isInherited: false)
  }

  /// Returns the policy with the given condition; see ``condition``.
  public func when(_ condition: @escaping @Sendable (RequestError) -> Bool) -> RetryPolicy {
    changed { $0.condition = condition }
  }

  /// Returns the policy with more ``statuses``: `.upTo(3).alsoRetrying(statuses: 423)`.
  public func alsoRetrying(statuses more: Int...) -> RetryPolicy {
    changed { $0.statuses.formUnion(more) }
  }

  /// Returns the policy with retries of every method, such as `POST`; see ``retriesUnsafeMethods``.
  ///
  /// The server may then carry out a request twice, such as an order. An ``IdempotencyKey`` prevents a second
  /// execution if the server supports the key.
  public func retryingUnsafeMethods() -> RetryPolicy {
    changed { $0.retriesUnsafeMethods = true }
  }

  /// Returns the policy with a step before a retry; see ``prepare``.
  public func preparing(
    _ prepare: @escaping @Sendable (RequestError, RequestContext) async -> Bool
  ) -> RetryPolicy {
    changed { $0.prepare = prepare }
  }

  /// Returns the policy with waits that end early when the network returns after an outage.
  ///
  /// Only waits of the policy's ``backoff`` after a failure without a response end early. On Linux,
  /// ``NetworkPath/system`` has no updates, so waits keep their length.
  public func cuttingWaits(by path: NetworkPath = .system) -> RetryPolicy {
    changed { $0.networkPath = path }
  }

  private func changed(_ change: @escaping @Sendable (inout RetryPolicy) -> Void) -> RetryPolicy {
    var policy = self
    change(&policy)
    if isInherited { policy.changes.append(change) }
    return policy
  }

  /// Returns this policy, or for ``inherited`` the agent's policy with the changes.
  func completed(by agents: RetryPolicy) -> RetryPolicy {
    guard isInherited else { return self }
    var policy = agents
    for change in changes { change(&policy) }
    return policy
  }

  /// True for ``inherited`` without changes.
  var isStandard: Bool { isInherited && changes.isEmpty }

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
