/// Which of several waiting dispatches starts first.
///
/// Any number is one; a higher one starts sooner. Where slots are free it decides nothing: see
/// ``AgentConfiguration/maxRequestsPerOrigin``.
///
/// Each minute of waiting counts as one point, so that a low one starts too: of those that wait for an origin the next
/// is the one whose ``value`` plus its minutes of waiting is the highest. Among equals it is the one that came first.
/// The minutes are those of the agent's clock, with fractions, and a retry begins to wait anew.
public struct RequestPriority: Sendable, Hashable, Comparable {
  /// From −1,000,000 to 1,000,000, or infinity for ``exempt``.
  public let value: Double

  /// Makes a priority of a number; those out of bounds are cut to the bounds, infinity is ``exempt``, and no number at
  /// all is ``default``.
  public init(_ value: Double) {
    self.value = value == .infinity ? value : value.isNaN ? 0 : min(max(value, -Self.bound), Self.bound)
  }

  /// −1: what can wait, such as fetching ahead.
  public static let low = Self(-1)
  /// 0.
  public static let `default` = Self(0)
  /// 1: what somebody waits for.
  public static let high = Self(1)
  /// Never waits: it takes a slot beyond the limit where none is free, and those that come later wait for it too.
  public static let exempt = Self(.infinity)

  /// Whether `a` starts after `b`, had they come at once.
  public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

  var isExempt: Bool { value == .infinity }

  /// Beyond it a minute would be lost in rounding.
  private static let bound = 1_000_000.0
}
