import Foundation

/// The client identities that a session has shown to servers, by host and port, and to proxies.
final class ShownClients: Sendable {
  /// The key for the identity shown to a proxy, because an `http` request may use the proxy.
  static let proxy = "proxy"

  private let shown = Locked([String: String]())

  static func place(host: String, port: Int) -> String { "\(host.lowercased()):\(port)" }

  func record(_ identity: String, at place: String) {
    shown.withLock { $0[place] = CacheKey.digest([Data(identity.utf8)]) }
  }

  /// The digests of the identities shown to the server and, for `http`, to a proxy; `nil` before a challenge.
  func identity(for url: URL) -> String? {
    guard let host = url.host, let scheme = WebScheme(url) else { return nil }
    let isSecure = scheme == .https
    let place = Self.place(host: host, port: url.port ?? (isSecure ? 443 : 80))
    let parts = shown.withLock { shown in [shown[place], isSecure ? nil : shown[Self.proxy]] }
    let known = parts.compactMap(\.self)
    return known.isEmpty ? nil : known.joined(separator: " ")
  }
}
