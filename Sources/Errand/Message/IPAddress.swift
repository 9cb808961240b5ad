import Foundation

/// An IPv6 address, or an IPv4 address stored as `::ffff:a.b.c.d` (RFC 4291 section 2.5.5.2).
struct IPAddress: Sendable, Hashable {
  private let high: UInt64
  private let low: UInt64

  init?(_ text: some StringProtocol) {
    var text = Substring(text)
    if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
    let numbers = String(text.prefix { $0 != "%" })
    var six = in6_addr()
    if inet_pton(AF_INET6, numbers, &six) == 1 {
      (high, low) = withUnsafeBytes(of: six) { (Self.number($0.prefix(8)), Self.number($0.suffix(8))) }
      return
    }
    var four = in_addr()
    guard inet_pton(AF_INET, numbers, &four) == 1 else { return nil }
    (high, low) = (0, Self.mapped | UInt64(UInt32(bigEndian: four.s_addr)))
  }

  private static let mapped: UInt64 = 0xffff_0000_0000

  /// True for an IP address without a zone such as `%eth0`.
  static func isPlain(_ text: String) -> Bool {
    IPAddress(text) != nil && !text.utf8.contains(UInt8(ascii: "%"))
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The embedded IPv4 address of a mapped address, or of a NAT64 address in 64:ff9b::/96 (RFC 6052 section
  /// 2.1).
  private var four: UInt32? {
    let isMapped = high == 0 && low >> 32 == 0xffff
    let isTranslated = high == 0x0064_ff9b_0000_0000 && low >> 32 == 0
    return isMapped || isTranslated ? UInt32(truncatingIfNeeded: low) : nil
  }

  /// True for 127.0.0.0/8 (RFC 1122 section 3.2.1.3) and `::1` (RFC 4291 section 2.5.3).
  ///
  /// A NAT64 address is not a loopback address, even if 127.0.0.1 is embedded.
  var isLoopback: Bool { high == 0 && (low == 1 || low >> 24 == 0xffff_7f) }

  /// True for a global unicast address outside of the special-purpose blocks below (RFC 6890).
  ///
  /// For a mapped or NAT64 address, the embedded IPv4 address decides.
  var isPublic: Bool {
    if let four {
      return !Self.specialFour.contains { first, length in four >> (32 - length) == first >> (32 - length) }
    }
    // IANA assigns global unicast addresses from 2000::/3.
    return high >> 61 == 1
      && !Self.specialSix.contains { first, length in high >> (64 - length) == first >> (64 - length) }
  }

  private static let specialFour: [(UInt32, Int)] = [
    (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16),
    (0xac10_0000, 12), (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16),
    (0xc612_0000, 15), (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 4), (0xf000_0000, 4),
  ]

  /// The blocks of Teredo and IETF protocols 2001::/23, documentation 2001:db8::/32 and 3fff::/20, 6to4
  /// 2002::/16.
  private static let specialSix: [(UInt64, Int)] = [
    (0x2001_0000_0000_0000, 23), (0x2001_0db8_0000_0000, 32), (0x3fff_0000_0000_0000, 20),
    (0x2002_0000_0000_0000, 16),
  ]

  func matches(_ other: IPAddress, bits: Int) -> Bool {
    if bits <= 64 { return bits == 0 || high >> (64 - bits) == other.high >> (64 - bits) }
    return high == other.high
      && (bits >= 128 ? low == other.low : low >> (128 - bits) == other.low >> (128 - bits))
  }
}
