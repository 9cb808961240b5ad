import Foundation

/// Where a request goes or came from, as cookies see it (draft-ietf-httpbis-rfc6265bis section 5.1).
struct CookieOrigin: Sendable, Hashable {
  /// In small letters.
  let host: String
  let path: String
  /// Whether nobody on the way can read it: https, or this machine.
  let isSecure: Bool

  /// `nil` of a URL that is neither http nor https.
  init?(_ url: URL) {
    guard let parts = URLParts(absolute: url.absoluteString), !parts.host.isEmpty else { return nil }
    let scheme = parts.scheme.lowercased()
    guard scheme == "https" || scheme == "http" else { return nil }
    host = parts.host.lowercased()
    path = parts.path.hasPrefix("/") ? parts.path : "/"
    isSecure = scheme == "https" || Origin.isLoopback(host)
  }

  /// Whether a host is a domain, or below it (section 5.1.3).
  static func isHost(_ host: String, in domain: String) -> Bool {
    host == domain || host.hasSuffix(".\(domain)") && !Origin.isAddress(host)
  }

  /// The domains whose cookies may be for the host: its own, and those above it.
  var domains: [String] {
    guard !Origin.isAddress(host) else { return [host] }
    let bytes = host.utf8
    let above = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
    return [host] + above.map { String(Substring(bytes[bytes.index(after: $0)...])) }
  }

  /// The path of a cookie that says none (section 5.1.4): that of the request up to its last slash.
  var defaultPath: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.utf8.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }

  /// Whether a path is one that a cookie's begins (section 5.1.4).
  static func isPath(_ path: String, under cookie: String) -> Bool {
    guard path.utf8.starts(with: cookie.utf8) else { return false }
    return path.utf8.count == cookie.utf8.count || cookie.utf8.last == UInt8(ascii: "/")
      || path.utf8.dropFirst(cookie.utf8.count).first == UInt8(ascii: "/")
  }

  /// Whether both are of one site: of one scheme, and of one domain that somebody has registered.
  func isSameSite(as other: CookieOrigin, _ suffixes: PublicSuffixes) -> Bool {
    isSecure == other.isSecure && suffixes.site(of: host) == suffixes.site(of: other.host)
  }
}

/// How a request came to be sent, as far as `SameSite` goes.
struct CookieContext: Sendable {
  /// Where redirects have led it on its way, the place it began with among them.
  var way: [URL] = []
  var isSafe = true

  /// Whether a cookie goes along.
  func allows(_ sameSite: Cookie.SameSite?, to origin: CookieOrigin, suffixes: PublicSuffixes) -> Bool {
    if way.isEmpty || sameSite == Cookie.SameSite.none { return true }
    let isSame = way.allSatisfy { CookieOrigin($0)?.isSameSite(as: origin, suffixes) ?? false }
    return isSame || sameSite != .strict && isSafe
  }
}
