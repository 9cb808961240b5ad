#if os(Linux)
extension Duration {
  /// Whole nanoseconds, cut to what an `Int64` holds four times over, so that sums of two cannot overflow.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = clamped(to: .nanoseconds(Int64.max / 4)).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
#endif
