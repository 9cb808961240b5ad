/// Reads IPv4 addresses in the notations of `inet_aton`.
///
/// Many resolvers read `127.1` and `0x7f000001` as addresses. Such notations could evade checks of the host
/// (RFC 3986 section 7.4).
enum NumericHost {
  enum Reading: Equatable {
    /// The last label is not a number.
    case name
    case address(String)
    /// The last label is a number, but the address is invalid.
    case invalid
  }

  static func standard(_ host: String) -> String {
    if case .address(let address) = read(host) { return address }
    return host
  }

  static func read(_ host: String) -> Reading {
    var labels = host.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    // An empty last label is the DNS root.
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    // A hexadecimal number also begins with a digit: the `0` of `0x`.
    guard let last = labels.last, let first = last.first, ASCII.isDigit(first) else { return .name }
    guard last.allSatisfy(ASCII.isDigit) || number(last) != nil else { return .name }
    let numbers = labels.compactMap { number($0) }
    guard numbers.count == labels.count, numbers.count <= 4, let rest = numbers.last else { return .invalid }
    let leading = numbers.dropLast()
    guard leading.allSatisfy({ $0 < 256 }), rest < 1 << (8 * UInt64(5 - numbers.count)) else {
      return .invalid
    }
    var address = rest
    for (place, number) in leading.enumerated() { address |= number << (8 * UInt64(3 - place)) }
    let bytes = [24, 16, 8, 0].map { "\(address >> UInt64($0) & 0xFF)" }
    return .address(bytes.joined(separator: "."))
  }

  /// Reads a number: octal after `0`, hexadecimal after `0x`, otherwise decimal.
  ///
  /// The limit of 2^40 prevents an overflow.
  private static func number(_ text: Substring.UTF8View) -> UInt64? {
    guard let first = text.first else { return nil }
    let isHex = first == 0x30 && text.dropFirst().first.map { $0 | 0x20 == 0x78 } == true
    let isOctal = first == 0x30 && text.count > 1 && !isHex
    let digits = isHex ? text.dropFirst(2) : isOctal ? text.dropFirst() : text
    let radix: UInt64 = isHex ? 16 : isOctal ? 8 : 10
    var value: UInt64 = 0
    for digit in digits {
      guard let amount = ASCII.hexDigit(digit).map(UInt64.init), amount < radix else {
        return nil
      }
      value = min(value * radix + amount, 1 << 40)
    }
    return value
  }
}
