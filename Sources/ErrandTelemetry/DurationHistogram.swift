/// A log-linear histogram of durations: a bucket for each microsecond below 32 µs, and then 32 buckets from
/// each power of two to the next.
///
/// A quantile differs from the recorded duration by at most 1/64 of the duration, or by 1 µs. At most 1,024
/// buckets, 8 KiB, are used. Durations beyond 19 hours count as 19 hours.
struct DurationHistogram: Sendable, Hashable {
  /// The counts by bucket, up to the last bucket with a duration.
  private var counts: [Int] = []
  private(set) var count = 0
  private(set) var sum: Duration = .zero
  private(set) var minimum: Duration = .zero
  private(set) var maximum: Duration = .zero

  private static let longest: UInt64 = 1 << 36 - 1

  mutating func record(_ duration: Duration) {
    let duration = min(max(duration, .zero), .microseconds(Int64(Self.longest)))
    let bucket = Self.bucket(of: UInt64(duration / .microseconds(1)))
    if counts.count <= bucket {
      counts.append(contentsOf: repeatElement(0, count: bucket + 1 - counts.count))
    }
    counts[bucket] += 1
    minimum = count == 0 ? duration : min(minimum, duration)
    maximum = max(maximum, duration)
    count += 1
    sum += duration
  }

  /// Returns a quantile of the durations, such as the median for 0.5; zero without durations.
  func quantile(_ share: Double) -> Duration {
    guard count > 0 else { return .zero }
    let rank = min(max(Int((share * Double(count)).rounded(.up)), 1), count)
    if rank == count { return maximum }
    var seen = 0
    for (bucket, number) in counts.enumerated() {
      seen += number
      if seen >= rank { return min(max(Self.middle(of: bucket), minimum), maximum) }
    }
    return maximum
  }

  static func bucket(of microseconds: UInt64) -> Int {
    guard microseconds >= 32 else { return Int(microseconds) }
    let exponent = 63 - microseconds.leadingZeroBitCount
    return (exponent - 4) * 32 + Int(microseconds >> UInt64(exponent - 5)) - 32
  }

  private static func middle(of bucket: Int) -> Duration {
    guard bucket >= 32 else { return .microseconds(bucket) }
    let shift = UInt64(bucket / 32 - 1)
    let start = UInt64(32 + bucket % 32) << shift
    return .microseconds(Int64(start + (1 << shift) / 2))
  }
}
