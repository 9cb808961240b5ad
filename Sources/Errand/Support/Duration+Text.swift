extension Duration {
  /// Seconds with three digits: `1.204 s`.
  var seconds: String {
    let milliseconds = max(0, (self / .milliseconds(1)).rounded())
    guard milliseconds < 1e15 else { return "\(milliseconds / 1000) s" }
    let whole = Int(milliseconds)
    let fraction = String(whole % 1000)
    return "\(whole / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
  }
}
