#if os(Linux)
extension Duration {
  /// Whole nanoseconds, cut to what an `Int64` holds four times over, so that sums of two cannot overflow.
  var clampedNanoseconds: Int64 {
    let limit = Int64.max / 4
    let (seconds, attoseconds) = components
    if seconds >= limit / 1_000_000_000 { return limit }
    if seconds <= -limit / 1_000_000_000 { return -limit }
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// The seconds in decimal digits without trailing zeros: `0.25 s`, `60 s`.
  var secondsText: String {
    let (seconds, attoseconds) = components
    var digits = String(attoseconds.magnitude)
    digits = String(repeating: "0", count: 18 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude)\(digits.isEmpty ? "" : ".")\(digits) s"
  }
}
#endif
