extension Duration {
  /// The seconds in decimal digits without trailing zeros: `0.25 s`, `60 s`; past 2^62 seconds the bound.
  var secondsText: String {
    let (seconds, attoseconds) = clamped(to: .seconds(1 << 62)).components
    var digits = String(attoseconds.magnitude)
    digits = String(repeating: "0", count: 18 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude)\(digits.isEmpty ? "" : ".")\(digits) s"
  }

  /// Cut to `bound` in either direction, so that sums cannot overflow and clocks can be given it.
  func clamped(to bound: Duration) -> Duration { min(max(self, .zero - bound), bound) }
}
