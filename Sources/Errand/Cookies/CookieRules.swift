import Foundation

/// The parts of a URL that decide which cookies are stored and sent.
struct CookieOrigin: Sendable, Hashable {
  let host: String
  let path: String
  let isSecure: Bool

  init?(_ url: URL) {
    guard let parts = URLParts(absolute: url.absoluteString), !parts.host.isEmpty else { return nil }
    let scheme = parts.scheme.lowercased()
    guard scheme == "https" || scheme == "http" else { return nil }
    host = parts.host.lowercased()
    path = parts.path.hasPrefix("/") ? parts.path : "/"
    isSecure = scheme == "https" || Origin.isLoopback(host)
  }

  /// Returns true if the host matches the domain (draft-ietf-httpbis-rfc6265bis section 5.1.3).
  static func isHost(_ host: String, in domain: String) -> Bool {
    host == domain || host.hasSuffix(".\(domain)") && !Origin.isAddress(host)
  }

  var domains: [String] {
    guard !Origin.isAddress(host) else { return [host] }
    let bytes = host.utf8
    let above = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
    return [host] + above.map { String(Substring(bytes[bytes.index(after: $0)...])) }
  }

  /// The default path of a cookie (draft-ietf-httpbis-rfc6265bis section 5.1.4).
  var defaultPath: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.utf8.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  /// Returns true if the path matches a cookie's path (draft-ietf-httpbis-rfc6265bis section 5.1.4).
  static func isPath(_ path: String, under cookie: String) -> Bool {
    guard path.utf8.starts(with: cookie.utf8) else { return false }
    return path.utf8.count == cookie.utf8.count || cookie.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookie.utf8.count).first == UInt8(ascii: "/")
  }

  func isSameSite(as other: CookieOrigin, _ suffixes: PublicSuffixes) -> Bool {
    isSecure == other.isSecure && suffixes.site(of: host) == suffixes.site(of: other.host)
  }
}

struct CookieContext: Sendable {
  var redirectedURLs: [URL] = []
  var isSafe = true

  func allows(_ sameSite: Cookie.SameSite?, to origin: CookieOrigin, suffixes: PublicSuffixes) -> Bool {
    if redirectedURLs.isEmpty || sameSite == Cookie.SameSite.none { return true }
    let isSame = redirectedURLs.allSatisfy { CookieOrigin($0)?.isSameSite(as: origin, suffixes) ?? false }
    return isSame || sameSite != .strict && isSafe
  }
}
