/// The priority of an attempt among the attempts waiting for a slot.
///
/// Of the attempts waiting for a slot, the attempt with the highest sum of ``value`` and minutes of waiting
/// gets the slot.
public struct RequestPriority: Sendable, Hashable, Comparable {
  /// From −1,000,000 to 1,000,000, or infinity for ``exempt``.
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
  /// For requests that never wait for a slot.
  public static let exempt = Self(.infinity)

  /// Returns true if `a` has the lower priority.
  public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

  var isExempt: Bool { value == .infinity }

  /// Small enough that a `Double` sum still changes with a microsecond of waiting.
  private static let bound = 1_000_000.0
}
