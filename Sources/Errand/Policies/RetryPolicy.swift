import Foundation

/// The conditions, waits and limits of retries.
///
/// ```swift
/// var retryPolicy: RetryPolicy { .upTo(3) }
/// var retryPolicy: RetryPolicy { .upTo(5, backoff: .constant(.milliseconds(200)), within: .seconds(3)) }
/// ```
///
/// By default, the policy retries idempotent methods (RFC 9110 section 9.2.2) after ``statuses`` and
/// connection failures, within the agent's ``RetryBudget``.
public struct RetryPolicy: Sendable {
  /// The maximum number of retries by the policy; `nil`: no limit.
  public var limit: Int?
  /// The waits before retries; exponential by default.
  public var backoff: RetryPolicy.Backoff
  /// The time limit for retries, from the start of the dispatch; `nil`, the default: no limit.
  ///
  /// The policy plans no retry whose wait would end after the limit.
  public var timeLimit: Duration?
  /// The statuses after which the policy retries.
  ///
  /// By default 408, 425, 429, 500, 502, 503, 504, 520 to 524, 527, 529, 530, 598 and 599.
  public var statuses: Set<Int> = RetryableStatuses.all
  /// True if the policy retries after failures with ``RequestError/isConnectionFailure``; `true` by default.
  public var retriesConnectionFailures = true
  /// True if methods that are not idempotent are retried even without an idempotency key; `false` by default.
  public var retriesUnsafeMethods = false
  /// The longest wait that a response may request; 10 minutes by default.
  ///
  /// A header such as `Retry-After` (RFC 9110 section 10.2.3) replaces the wait of the ``backoff``. A longer
  /// requested wait is shortened to the cap.
  public var retryAfterCap: Duration = .seconds(600)
  /// A condition that replaces ``statuses`` and ``retriesConnectionFailures``; `nil` by default.
  public var condition: (@Sendable (RequestError) -> Bool)?
  /// A closure that runs before the wait of a retry, for example to renew a token; `nil` by default.
  ///
  /// If the closure returns `false`, no retry follows. A retry after a renewal by the authenticator does not
  /// call the closure.
  public var prepare: (@Sendable (RequestError, RequestContext) async -> Bool)?

  /// The network path that may end a wait of the policy early; `nil` by default.
  ///
  /// A wait may end early when the network returns, but only after a failure without a response.
  public var networkPath: NetworkPath?

  let isInherited: Bool
  /// The changes made to ``inherited``.
  ///
  /// ``completed(by:)`` applies the changes to the agent's policy.
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
  /// Methods such as ``alsoRetrying(statuses:)`` change the policy for the request. Setting a property of
  /// `inherited` has no effect.
  public static let inherited = RetryPolicy(
    limit: 0, backoff: .constant(), timeLimit: nil, isInherited: true)

  /// Returns a policy with at most `retries` retries.
  public static func upTo(
    _ retries: Int, backoff: RetryPolicy.Backoff = .exponential(), within timeLimit: Duration? = nil
  ) -> RetryPolicy {
    RetryPolicy(limit: max(retries, 0), backoff: backoff, timeLimit: timeLimit, isInherited: false)
  }

  /// Returns a policy with any number of retries, until the back-off or another limit ends the retries.
  public static func unlimited(
    backoff: RetryPolicy.Backoff = .exponential(endsAtCap: true), within timeLimit: Duration? = nil
  ) -> RetryPolicy {
    RetryPolicy(limit: nil, backoff: backoff, timeLimit: timeLimit, isInherited: false)
  }

  /// Returns the policy with a ``condition``.
  public func when(_ condition: @escaping @Sendable (RequestError) -> Bool) -> RetryPolicy {
    changed { $0.condition = condition }
  }

  /// Returns the policy with more ``statuses``.
  public func alsoRetrying(statuses more: Int...) -> RetryPolicy {
    changed { $0.statuses.formUnion(more) }
  }

  /// Returns the policy that also retries methods such as `POST`.
  ///
  /// The server may then carry out a request twice, unless an ``IdempotencyKey`` prevents a second execution.
  public func retryingUnsafeMethods() -> RetryPolicy {
    changed { $0.retriesUnsafeMethods = true }
  }

  /// Returns the policy with a step before a retry; see ``prepare``.
  public func preparing(
    _ prepare: @escaping @Sendable (RequestError, RequestContext) async -> Bool
  ) -> RetryPolicy {
    changed { $0.prepare = prepare }
  }

  /// Returns the policy with waits that may end early when the network returns after an outage.
  ///
  /// On Linux, ``NetworkPath/system`` has no updates, so waits do not end early.
  public func cuttingWaits(by path: NetworkPath = .system) -> RetryPolicy {
    changed { $0.networkPath = path }
  }

  private func changed(_ change: @escaping @Sendable (inout RetryPolicy) -> Void) -> RetryPolicy {
    var policy = self
    change(&policy)
    if isInherited { policy.changes.append(change) }
    return policy
  }

  func completed(by agents: RetryPolicy) -> RetryPolicy {
    guard isInherited else { return self }
    var policy = agents
    for change in changes { change(&policy) }
    return policy
  }

  var isStandard: Bool { isInherited && changes.isEmpty }

  var isOff: Bool { limit.map { $0 <= 0 } ?? false }
}

extension RetryPolicy {
  /// The decision on another attempt after a failure.
  public enum Decision: Sendable, Hashable {
    /// No retry.
    case stop
    /// Another attempt after a wait; a negative wait counts as zero.
    case retry(after: Duration)

    /// Another attempt without a wait.
    public static let retry = Decision.retry(after: .zero)
  }
}
