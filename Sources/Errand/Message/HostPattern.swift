import Foundation

/// A pattern for hosts, such as `example.com`, `*.example.com`, `10.0.0.0/8` or `*`.
///
/// `*.example.com` does not match `example.com`.
struct HostPattern: Sendable, Hashable {
  private enum Form: Hashable {
    case host(String)
    case below(String)
    case block(IPAddress, bits: Int)
    case all
  }

  private let form: Form

  /// Returns false for an invalid pattern, such as a URL, a host with a port, or `.example.com`.
  static func isPattern(_ text: String) -> Bool {
    if text == "*" || block(text) != nil { return true }
    let name = text.hasPrefix("*.") ? text.dropFirst(2) : Substring(text)
    // The name is checked before the conversion of an international name, because the conversion drops a port
    // and a path.
    guard name.utf8.allSatisfy({ $0 >= 0x80 || isOfHost($0) }) else { return false }
    let host = standard(name)
    return !host.isEmpty && !host.hasPrefix(".") && host.utf8.allSatisfy(isOfHost)
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F
  }

  /// Creates a pattern without a check of the text; see ``isPattern(_:)``.
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
    // An IPv4 address occupies the last 32 of 128 bits.
    let before = parts[0].contains(":") ? 0 : 96
    guard parts.count == 2, let bits = Int(parts[1]), bits >= 0, bits <= 128 - before else { return nil }
    return .block(address, bits: bits + before)
  }

  /// Returns true if the pattern matches a host.
  ///
  /// The host `127.1` is read as 127.0.0.1.
  func matches(_ host: String) -> Bool {
    switch form {
    case .all: true
    case .host(let name): name == Self.standard(Substring(host))
    case .below(let domain): Self.isBelow(domain, host: Self.standard(Substring(host)))
    case .block(let address, let bits):
      IPAddress(Self.standard(Substring(host)))?.matches(address, bits: bits) == true
    }
  }

  fileprivate var specificity: Int {
    switch form {
    case .host: .max
    case .below(let domain): domain.utf8.count
    case .block(_, let bits): bits
    case .all: -1
    }
  }

  private static func isBelow(_ domain: String, host: String) -> Bool {
    host.hasSuffix(domain) && IPAddress(host) == nil
  }

  /// Returns the host in lower case, in ASCII if possible, without the dot of the DNS root (RFC 1034 section
  /// 3.1).
  private static func standard(_ host: Substring) -> String {
    var name = host.lowercased()
    if !name.utf8.allSatisfy({ $0 < 0x80 }) {
      name = URL(string: "http://\(name)/")?.host?.lowercased() ?? name
    }
    return NumericHost.standard(name.utf8.last == UInt8(ascii: ".") ? String(name.dropLast()) : name)
  }
}

/// A table of values by host pattern.
///
/// The most specific matching pattern counts.
struct HostTable<Value: Sendable>: Sendable {
  private let rows: [(pattern: HostPattern, value: Value)]

  init(_ values: [String: Value]) {
    let patterns = values.map { (name: $0.key, pattern: HostPattern($0.key), value: $0.value) }
    rows = patterns.sorted { ($0.pattern.specificity, $0.name) > ($1.pattern.specificity, $1.name) }
      .map { ($0.pattern, $0.value) }
  }

  var isEmpty: Bool { rows.isEmpty }

  subscript(host: String) -> Value? { rows.first { $0.pattern.matches(host) }?.value }
}
