import Foundation

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
    host = parts.host.lowercased()
    let port = String(parts.port ?? "")
    self.port = port.isEmpty ? Self.ports[scheme] ?? "" : port
  }

  /// Whether two URLs share their origin.
  static func same(_ a: URL, _ b: URL) -> Bool {
    guard let a = Origin(a), let b = Origin(b) else { return false }
    return a == b
  }

  private static let ports = ["http": "80", "https": "443"]
}
