/// A host whose last label is a number, which everybody takes for an address and for no name.
///
/// What resolves names also takes `127.1`, `0x7f000001` and `2130706433` for addresses, in octal and hexadecimal numbers too.
/// They are written out, so that whoever judges a host by its text judges what is connected to (RFC 3986 section 7.4), in the way that
/// browsers do.
enum NumericHost {
  /// What a host is taken for.
  enum Reading: Equatable {
    /// A name: its last label is no number.
    case name
    /// An address of version 4, as four numbers with dots.
    case address(String)
    /// A number, and no address.
    case invalid
  }

  /// A host in the form that all who judge one compare: an address written out, anything else as it is.
  static func standard(_ host: String) -> String {
    if case .address(let address) = read(host) { return address }
    return host
  }

  static func read(_ host: String) -> Reading {
    var labels = host.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    // A dot at the end is that of the root.
    if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
    // Every number begins with a digit, the `0x` of a hexadecimal one too.
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

  /// A number that is decimal, octal after a `0`, or hexadecimal after a `0x`; `nil` for anything else, and where it is no address in any case.
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
      // Larger is no address, and is not counted any further.
      value = min(value * radix + amount, 1 << 40)
    }
    return value
  }
}
