import Foundation

/// A host, `*.` before the domain of all hosts below it, an address, or a block of addresses such as `10.0.0.0/8`.
struct HostPattern: Sendable, Hashable {
  private enum Form: Hashable {
    case host(String)
    case below(String)
    case block(IPAddress, bits: Int)
    case all
  }

  private let form: Form

  /// Returns true for a valid pattern.
  ///
  /// A URL, a port or a leading dot is invalid.
  static func isPattern(_ text: String) -> Bool {
    if text == "*" || block(text) != nil { return true }
    let name = text.hasPrefix("*.") ? text.dropFirst(2) : Substring(text)
    let host = standard(name)
    return !host.isEmpty && !host.hasPrefix(".")
      && host.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }

  /// Parses a pattern.
  ///
  /// An invalid pattern matches no host.
  init(_ text: String) {
    if text == "*" {
      form = .all
    } else if text.hasPrefix("*.") {
      form = .below("." + Self.standard(text.dropFirst(2)))
    } else if let block = Self.block(text) {
      form = block
    } else {
      form = .host(Self.standard(Substring(text)))
    }
  }

  private static func block(_ text: String) -> Form? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else { return nil }
    if parts.count == 1 { return .block(address, bits: 128) }
    // An IPv4 prefix follows 96 bits in the IPv6 form.
    let before = parts[0].contains(":") ? 0 : 96
    guard parts.count == 2, let bits = Int(parts[1]), bits >= 0, bits <= 128 - before else { return nil }
    return .block(address, bits: bits + before)
  }

  /// Returns true if the pattern covers the host, in any notation of the host.
  func matches(_ host: String) -> Bool {
    switch form {
    case .all: true
    case .host(let name): name == Self.standard(Substring(host))
    case .below(let domain): Self.isBelow(domain, host: Self.standard(Substring(host)))
    case .block(let address, let bits):
      IPAddress(Self.standard(Substring(host)))?.matches(address, bits: bits) == true
    }
  }

  /// Returns true for a host below the domain.
  ///
  /// An address has no parent domains.
  private static func isBelow(_ domain: String, host: String) -> Bool {
    host.hasSuffix(domain) && IPAddress(host) == nil
  }

  /// Returns the host in lower case and ASCII, without a trailing dot (RFC 1034 section 3.1), with numeric
  /// addresses expanded.
  private static func standard(_ host: Substring) -> String {
    var name = host.lowercased()
    if !name.utf8.allSatisfy({ $0 < 0x80 }) {
      name = URL(string: "http://\(name)/")?.host?.lowercased() ?? name
    }
    return NumericHost.standard(name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name)
  }
}

/// Values by host.
///
/// Exact names precede patterns, and longer patterns precede shorter patterns.
struct HostTable<Value: Sendable>: Sendable {
  private let rows: [(pattern: HostPattern, value: Value)]

  init(_ values: [String: Value]) {
    let names = values.keys.sorted { first, second in
      let (a, b) = (first.hasPrefix("*"), second.hasPrefix("*"))
      return a == b ? (first.utf8.count, first) > (second.utf8.count, second) : b
    }
    rows = names.compactMap { name in values[name].map { (HostPattern(name), $0) } }
  }

  var isEmpty: Bool { rows.isEmpty }

  subscript(host: String) -> Value? { rows.first { $0.pattern.matches(host) }?.value }
}
