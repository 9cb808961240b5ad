/// The priority of an attempt among the attempts that wait for a slot of the same origin.
///
/// When a slot becomes free, the attempt with the highest sum of ``value`` and minutes of waiting starts. For
/// a retry, the minutes start at 0 again. See ``AgentConfiguration/maxRequestsPerOrigin``.
/// `URLSessionTransport` also sets the priority of the session's task.
public struct RequestPriority: Sendable, Hashable, Comparable {
  /// The priority as a number from −1,000,000 to 1,000,000, or infinity for ``exempt``.
  public let value: Double

  /// Creates a priority from a number.
  ///
  /// Numbers outside of −1,000,000 to 1,000,000 are clamped. Positive infinity is ``exempt``, and NaN is
  /// ``default``.
  public init(_ value: Double) {
    self.value = value == .infinity ? value : value.isNaN ? 0 : min(max(value, -Self.bound), Self.bound)
  }

  /// −1: requests that can wait, such as prefetching.
  public static let low = Self(-1)
  /// 0.
  public static let `default` = Self(0)
  /// 1: requests a user waits for.
  public static let high = Self(1)
  /// Requests that never wait for a slot of their origin.
  ///
  /// If no slot is free, the request starts beyond the limit. Later requests count the request as a taken
  /// slot.
  public static let exempt = Self(.infinity)

  /// Returns true if `a` has the lower priority.
  public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

  var isExempt: Bool { value == .infinity }

  /// The largest value; small enough that a `Double` sum still changes with a microsecond of waiting.
  private static let bound = 1_000_000.0
}
