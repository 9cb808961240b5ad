package import Foundation

/// The scheme, host and port of a URL: the scope of credentials (RFC 6454 section 4).
package struct Origin: Sendable, Hashable {
  let scheme: String
  package let host: String
  /// The port; by default 80 for `http`, 443 for `https`, and empty for other schemes.
  package let port: String

  package init?(_ url: URL) {
    guard let parts = URLParts(absolute: url.absoluteString) else { return nil }
    scheme = parts.scheme.lowercased()
    host = NumericHost.standard(parts.host.lowercased())
    let port = String(parts.port ?? "")
    self.port = port.isEmpty ? Self.standardPort(of: scheme) : port
  }

  static func same(_ a: URL, _ b: URL) -> Bool {
    guard let a = Origin(a), let b = Origin(b) else { return false }
    return a == b
  }

  private static func standardPort(of scheme: String) -> String {
    switch scheme {
    case "http": "80"
    case "https": "443"
    default: ""
    }
  }

  var isConfidential: Bool { scheme == "https" || Self.isLoopback(host) }

  /// Returns true for `localhost`, its subdomains, addresses of four numbers in 127.0.0.0/8, and `[::1]`.
  ///
  /// The host must be in lower case.
  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || host.hasPrefix("127.") && isAddress(host)
        && host.split(separator: ".").allSatisfy { UInt8($0) != nil }
  }

  /// Returns true for a host in brackets, and for four numbers of up to three digits.
  ///
  /// The values of the numbers are not checked.
  static func isAddress(_ host: String) -> Bool {
    if host.hasPrefix("[") { return true }
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { !$0.isEmpty && $0.count <= 3 && $0.allSatisfy(ASCII.isDigit) }
  }

  var shownText: String {
    let isPlain = port.isEmpty || port == Self.standardPort(of: scheme)
    return "\(scheme)://\(host)\(isPlain ? "" : ":\(port)")"
  }
}

extension URL {
  package var isConfidential: Bool { Origin(self)?.isConfidential ?? false }
}
