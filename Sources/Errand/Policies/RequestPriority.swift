/// The priority of an attempt waiting for a slot.
///
/// Limits such as ``AgentConfiguration/maxRequestsPerOrigin`` set the number of slots. A free slot goes to
/// the waiting attempt with the highest sum of ``value`` and minutes of waiting.
public struct RequestPriority: Sendable, Hashable, Comparable {
  /// A number from −1,000,000 to 1,000,000, or infinity for ``exempt``.
  public let value: Double

  /// Creates a priority; +∞ means ``exempt``, NaN means 0, and other numbers are clamped.
  public init(_ value: Double) {
    self.value = value == .infinity ? value : value.isNaN ? 0 : min(max(value, -Self.bound), Self.bound)
  }

  /// −1, for requests that can wait, such as prefetching.
  public static let low = Self(-1)
  /// 0.
  public static let `default` = Self(0)
  /// 1, for requests a user waits for.
  public static let high = Self(1)
  /// The priority of requests exempt from waiting for a slot.
  public static let exempt = Self(.infinity)

  /// Returns true if `a` has the lower priority.
  public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

  var isExempt: Bool { value == .infinity }

  /// The bound is small enough that a microsecond of waiting still changes the `Double` sum.
  private static let bound = 1_000_000.0
}
