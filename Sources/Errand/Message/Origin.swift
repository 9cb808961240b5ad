package import Foundation

/// Scheme, host and port of a URL: what credentials belong to (RFC 6454 section 4).
struct Origin: Sendable, Hashable {
  let scheme: String
  let host: String
  /// The scheme's own when the URL has none.
  let port: String

  /// The origin of an absolute URL; `nil` of a URL without an authority, which is the same as no other.
  init?(_ url: URL) {
    guard let parts = URLParts(absolute: url.absoluteString) else { return nil }
    scheme = parts.scheme.lowercased()
    host = NumericHost.standard(parts.host.lowercased())
    let port = String(parts.port ?? "")
    self.port = port.isEmpty ? Self.standardPort(of: scheme) : port
  }

  /// Whether two URLs share their origin.
  static func same(_ a: URL, _ b: URL) -> Bool {
    guard let a = Origin(a), let b = Origin(b) else { return false }
    return a == b
  }

  /// The port that a URL of the scheme has without saying so; empty of other schemes than http and https.
  private static func standardPort(of scheme: String) -> String {
    switch scheme {
    case "http": "80"
    case "https": "443"
    default: ""
    }
  }

  /// Whether nobody on the way can read what goes there: over https, or to this machine.
  var isConfidential: Bool { scheme == "https" || Self.isLoopback(host) }

  /// Whether a host, in small letters, is this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3).
  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && isAddress(host)
  }

  /// Whether a host is an address, which has no domains above it.
  static func isAddress(_ host: String) -> Bool {
    if host.hasPrefix("[") { return true }
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { !$0.isEmpty && $0.count <= 3 && $0.allSatisfy(ASCII.isDigit) }
  }

  /// As a person writes it: `https://api.example.com`, with its port where that is not the scheme's own.
  var shownText: String {
    let isPlain = port.isEmpty || port == Self.standardPort(of: scheme)
    return "\(scheme)://\(host)\(isPlain ? "" : ":\(port)")"
  }
}

extension URL {
  /// Whether nobody on the way can read what is sent to the URL: over https, or to this machine.
  package var isConfidential: Bool { Origin(self)?.isConfidential ?? false }
}
