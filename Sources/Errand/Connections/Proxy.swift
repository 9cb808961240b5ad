import Foundation

/// A proxy server, which can read requests for http URLs.
///
/// ```swift
/// var settings = ConnectionSettings()
/// if let proxy = Proxy("http://proxy.example:3128", credentials: credentials) {
///   settings.proxies = .all(proxy)
/// }
/// ```
public struct Proxy: Sendable, Hashable {
  enum Kind: String, Sendable, Hashable, CaseIterable {
    case http
    case https
    /// RFC 1928; the proxy resolves names.
    case socks5h
    /// This machine resolves names.
    case socks5
    /// This machine resolves names.
    case socks4
    /// The proxy resolves names.
    case socks4a

    var speaksHTTP: Bool { self == .http || self == .https }
  }

  /// The scheme for sending credentials to an HTTP proxy.
  public enum AuthenticationScheme: Sendable, Hashable {
    /// Credentials without a challenge (RFC 7617).
    case basic
    /// A digest after a challenge (RFC 7616).
    case digest
  }

  let kind: Kind
  /// The protocol of the proxy, such as `http`, `socks5` or `socks5h`.
  public var scheme: String { kind.rawValue }
  /// The host, in lower case; an IPv6 address in brackets.
  public let host: String
  /// The port; by default 443 for an `https` proxy, and 1080 for every other proxy, as in curl.
  public let port: UInt16
  /// The credentials for the proxy; `nil`: none.
  public var credentials: BasicCredentials?
  /// The scheme of the credentials for an HTTP proxy; `.basic` by default.
  public var authentication: AuthenticationScheme = .basic

  /// Creates a proxy from a URL, such as `http://proxy.example:3128` or `socks5h://[::1]:1080`.
  ///
  /// If `credentials` is `nil`, the credentials come from the user info of the URL. Returns `nil` for an
  /// invalid URL, an unsupported scheme, a path except `/`, a query or a fragment.
  public init?(_ url: String, credentials: BasicCredentials? = nil) {
    guard let parts = URLParts(absolute: url), let kind = Kind(rawValue: parts.scheme.lowercased()),
      parts.path.isEmpty || parts.path == "/", parts.query.isEmpty, !url.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
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
  /// Scheme, host and port: `http://proxy.example:3128`.
  public var description: String { "\(kind.rawValue)://\(host):\(port)" }
}
