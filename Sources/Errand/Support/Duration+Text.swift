extension Duration {
  /// Seconds with three digits: `1.204 s`.
  var seconds: String {
    let milliseconds = max(0, (self / .milliseconds(1)).rounded())
    guard milliseconds < 1e15 else { return "\(milliseconds / 1000) s" }
    let whole = Int(milliseconds)
    let fraction = String(whole % 1000)
    return "\(whole / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
  }

  /// The seconds in decimal digits without trailing zeros: `0.25 s`, `60 s`; past 2^62 seconds the bound.
  var secondsText: String {
    let (seconds, attoseconds) = clamped(to: .seconds(1 << 62)).components
    var digits = String(attoseconds.magnitude)
    digits = String(repeating: "0", count: 18 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude)\(digits.isEmpty ? "" : ".")\(digits) s"
  }
}
