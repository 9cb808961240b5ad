import Foundation

/// Reads the numbers of servers, which may be anything.
enum Decimals {
  /// A whole number of digits only, cut at a billion; `nil` for anything else.
  static func count(_ text: some StringProtocol) -> Int? {
    let digits = text.trimmingCharacters(in: .whitespaces)
    guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return min(Int(digits) ?? .max, 1_000_000_000)
  }

  /// Digits, perhaps with a fraction, as seconds; `nil` for anything else.
  static func seconds(_ text: some StringProtocol) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) })
    else { return nil }
    return Double(text).map { min($0, 1e18) }
  }
}
