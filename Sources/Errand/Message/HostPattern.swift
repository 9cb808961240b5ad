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

  /// Whether a text can be a pattern: a URL, a port or a dot at the beginning is none.
  static func isPattern(_ text: String) -> Bool {
    if text == "*" || block(text) != nil { return true }
    let name = text.hasPrefix("*.") ? text.dropFirst(2) : Substring(text)
    let host = standard(name)
    return !host.isEmpty && !host.hasPrefix(".")
      && host.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }

  /// Reads a pattern; what cannot be one matches no host.
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
    // One of version 4 stands behind 96 bits.
    let before = parts[0].contains(":") ? 0 : 96
    guard parts.count == 2, let bits = Int(parts[1]), bits >= 0, bits <= 128 - before else { return nil }
    return .block(address, bits: bits + before)
  }

  /// Whether the host of a URL is meant, in whatever way it is written.
  func matches(_ host: String) -> Bool {
    switch form {
    case .all: true
    case .host(let name): name == Self.standard(Substring(host))
    case .below(let domain): Self.isBelow(domain, host: Self.standard(Substring(host)))
    case .block(let address, let bits):
      IPAddress(Self.standard(Substring(host)))?.matches(address, bits: bits) == true
    }
  }

  /// An address has no domains above it.
  private static func isBelow(_ domain: String, host: String) -> Bool {
    host.hasSuffix(domain) && IPAddress(host) == nil
  }

  /// In small letters, in ASCII, without the dot that may end a name (RFC 1034 section 3.1), a numeric address written out.
  private static func standard(_ host: Substring) -> String {
    var name = host.lowercased()
    if !name.utf8.allSatisfy({ $0 < 0x80 }) {
      name = URL(string: "http://\(name)/")?.host?.lowercased() ?? name
    }
    return NumericHost.standard(name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name)
  }
}

/// Values by host, those of a name before those of a pattern, those of a longer pattern before those of a shorter one.
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
