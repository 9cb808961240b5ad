/// The order of waiting dispatches.
///
/// Any number is a priority, and higher numbers start sooner. A priority has no effect while slots are free: see
/// ``AgentConfiguration/maxRequestsPerOrigin``.
///
/// Each minute of waiting adds 1, so low priorities start eventually. The next dispatch of an origin is the dispatch with the highest sum
/// of ``value`` and minutes of waiting, and among equal sums the earliest. Minutes are fractional minutes on the agent's clock, and a retry
/// starts to wait anew.
public struct RequestPriority: Sendable, Hashable, Comparable {
  /// From −1,000,000 to 1,000,000, or infinity for ``exempt``.
  public let value: Double

  /// Creates a priority from a number.
  ///
  /// Numbers outside of the range are clamped, infinity is ``exempt``, and NaN is ``default``.
  public init(_ value: Double) {
    self.value = value == .infinity ? value : value.isNaN ? 0 : min(max(value, -Self.bound), Self.bound)
  }

  /// −1: requests that can wait, such as prefetching.
  public static let low = Self(-1)
  /// 0.
  public static let `default` = Self(0)
  /// 1: requests a user waits for.
  public static let high = Self(1)
  /// Never waits: an exempt request takes a slot beyond the limit if no slot is free, and later requests wait for the slot.
  public static let exempt = Self(.infinity)

  /// Returns true if `a` starts after `b` for simultaneous arrivals.
  public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

  var isExempt: Bool { value == .infinity }

  /// The largest value; beyond, a minute would be lost in rounding.
  private static let bound = 1_000_000.0
}
