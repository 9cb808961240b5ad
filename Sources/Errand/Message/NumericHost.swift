/// A host whose last label is a number, so that clients read the host as an address.
///
/// Name resolvers also accept `127.1`, `0x7f000001` and `2130706433` as addresses, including octal and
/// hexadecimal numbers. Errand expands such hosts as browsers do, so that checks of the text match the
/// connected address (RFC 3986 section 7.4).
enum NumericHost {
  /// The interpretation of a host.
  enum Reading: Equatable {
    /// A name: the last label is not a number.
    case name
    /// An IPv4 address in dotted decimal form.
    case address(String)
    /// A number without a valid address.
    case invalid
  }

  /// Returns the host in the form for comparisons: an address in dotted decimal form, other hosts unchanged.
  static func standard(_ host: String) -> String {
    if case .address(let address) = read(host) { return address }
    return host
  }

  static func read(_ host: String) -> Reading {
    var labels = host.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    // A trailing dot denotes the root.
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    // Every number begins with a digit, including the `0x` of a hexadecimal number.
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

  /// Parses a decimal number, an octal number after `0`, or a hexadecimal number after `0x`; `nil` for
  /// other text.
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
      // A larger number is no address, so the value is capped.
      value = min(value * radix + amount, 1 << 40)
    }
    return value
  }
}
