import Foundation

/// A proxy: who carries requests to their servers.
///
/// ```swift
/// var settings = ConnectionSettings()
/// if let proxy = Proxy("http://proxy.example:3128", credentials: credentials) { settings.proxies = .all(proxy) }
/// ```
///
/// An http URL is sent to an HTTP proxy itself, which can read it; an https URL goes through a tunnel (RFC 9110 section
/// 9.3.6), into which it cannot look. Printing hides the credentials.
public struct Proxy: Sendable, Hashable {
  /// How a proxy is spoken to.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Over an open connection.
    case http
    /// Over TLS, so that nobody on the way can read the credentials.
    case https
    /// SOCKS 5 (RFC 1928), whose proxy looks names up.
    case socks5h
    /// SOCKS 5, where this machine looks names up.
    case socks5
    /// SOCKS 4, where this machine looks names up.
    case socks4
    /// SOCKS 4, whose proxy looks names up.
    case socks4a

    var speaksHTTP: Bool { self == .http || self == .https }
  }

  /// How its credentials are sent to an HTTP proxy.
  public enum AuthenticationScheme: Sendable, Hashable {
    /// With the first request (RFC 7617).
    case basic
    /// After the proxy has asked (RFC 7616); requests to http URLs go through a tunnel then, too.
    case digest
  }

  /// How it is spoken to.
  public let kind: Kind
  /// Its host, in small letters; an IPv6 address in brackets.
  public let host: String
  /// Its port; where the URL says none 443 for https, and 1080 for the others, as with curl.
  public let port: UInt16
  /// What it is sent to know its user; `nil` for nothing.
  ///
  /// No server gets it.
  public var credentials: BasicCredentials?
  /// How they are sent to an HTTP proxy; `.basic` by default.
  public var authentication: AuthenticationScheme = .basic

  /// Makes a proxy of its URL, such as `http://proxy.example:3128` or `socks5h://[::1]:1080`.
  ///
  /// A user name and a password in the URL are its credentials, unless there are others. `nil` where it is no URL of a ``Kind``,
  /// has more than host and port, or credentials that cannot be sent.
  public init?(_ url: String, credentials: BasicCredentials? = nil) {
    guard let parts = URLParts(absolute: url), let kind = Kind(rawValue: parts.scheme.lowercased()),
      parts.path.isEmpty || parts.path == "/", parts.query.isEmpty, !url.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
    // The host is judged as that of any URL.
    let place = "http://\(parts.host)\(parts.port.map { ":\($0)" } ?? "")"
    guard let judged = try? URLJoining.url(base: place, path: "", query: []),
      let host = URLParts(absolute: judged.absoluteString)
    else { return nil }
    self.kind = kind
    self.host = host.host.lowercased()
    port = host.port.flatMap { UInt16($0) } ?? (kind == .https ? 443 : 1080)
    self.credentials = credentials
    guard credentials == nil, let user = parts.userInfo else { return }
    guard let own = Self.credentials(user) else { return nil }
    self.credentials = own
  }

  private static func credentials(_ userInfo: Substring) -> BasicCredentials? {
    let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.map { String(decoding: PercentEncoding.decode($0), as: UTF8.self) }
    return BasicCredentials(username: texts[0], password: texts.count > 1 ? texts[1] : "")
  }
}

extension Proxy: PrintedByDescription {
  /// Kind, host and port: `http://proxy.example:3128`.
  public var description: String { "\(kind.rawValue)://\(host):\(port)" }
}
