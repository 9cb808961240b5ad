/// A number of a JSON text, as it was written.
struct JSONNumber: Sendable, Hashable {
  /// The text, which fits the grammar of RFC 8259 section 6.
  let text: String

  /// Whether its value is a whole number, also when it is written `1.0` or `1e3`.
  ///
  /// Judged by the digits: a `Double` would take 1e300 and 0.5e-400 for whole numbers.
  var isInteger: Bool {
    let parts = text.split(whereSeparator: { $0 == "e" || $0 == "E" })
    let mantissa = parts[0].split(separator: ".")
    let whole = mantissa[0].drop { $0 == "-" }
    let fraction = mantissa.count > 1 ? trimmingZeros(mantissa[1]) : ""
    if fraction.isEmpty, whole.allSatisfy({ $0 == "0" }) { return true }
    guard parts.count > 1 else { return fraction.isEmpty }
    guard let exponent = Int(parts[1]) else { return !parts[1].hasPrefix("-") }
    if exponent >= fraction.count { return true }
    guard fraction.isEmpty else { return false }
    return exponent >= trimmingZeros(whole).count - whole.count
  }

  private func trimmingZeros(_ digits: Substring) -> Substring {
    var digits = digits
    while digits.last == "0" { digits.removeLast() }
    return digits
  }
}
