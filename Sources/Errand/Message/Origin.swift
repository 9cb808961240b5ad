package import Foundation

/// Scheme, host and port of a URL, the scope of credentials (RFC 6454 section 4).
struct Origin: Sendable, Hashable {
  let scheme: String
  let host: String
  /// The port; the default port of the scheme if the URL has no port.
  let port: String

  /// Creates the origin of an absolute URL; `nil` without an authority, because such a URL shares no origin.
  init?(_ url: URL) {
    guard let parts = URLParts(absolute: url.absoluteString) else { return nil }
    scheme = parts.scheme.lowercased()
    host = NumericHost.standard(parts.host.lowercased())
    let port = String(parts.port ?? "")
    self.port = port.isEmpty ? Self.standardPort(of: scheme) : port
  }

  /// Returns true if two URLs have the same origin.
  static func same(_ a: URL, _ b: URL) -> Bool {
    guard let a = Origin(a), let b = Origin(b) else { return false }
    return a == b
  }

  /// Returns the default port of the scheme; empty for schemes except HTTP and HTTPS.
  private static func standardPort(of scheme: String) -> String {
    switch scheme {
    case "http": "80"
    case "https": "443"
    default: ""
    }
  }

  /// True if traffic is protected from readers on the network: over HTTPS, or to the local machine.
  var isConfidential: Bool { scheme == "https" || Self.isLoopback(host) }

  /// Returns true if a host, in lower case, is the local machine (RFC 6761 section 6.3, RFC 1122 section
  /// 3.2.1.3).
  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && isAddress(host)
  }

  /// Returns true if a host is an address and so has no parent domains.
  static func isAddress(_ host: String) -> Bool {
    if host.hasPrefix("[") { return true }
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { !$0.isEmpty && $0.count <= 3 && $0.allSatisfy(ASCII.isDigit) }
  }

  /// The origin for display: `https://api.example.com`, with the port unless it is the scheme's default.
  var shownText: String {
    let isPlain = port.isEmpty || port == Self.standardPort(of: scheme)
    return "\(scheme)://\(host)\(isPlain ? "" : ":\(port)")"
  }
}

extension URL {
  /// True if traffic to the URL is protected from readers on the network: over HTTPS, or to the local
  /// machine.
  package var isConfidential: Bool { Origin(self)?.isConfidential ?? false }
}
