import Foundation

/// The client identities that the app has shown in a session, in responses to challenges, by host and port.
///
/// Before the first challenge no identity is known. So the response to the challenged request is not stored;
/// see ``Transport/clientIdentity(for:)``.
final class ShownClients: Sendable {
  /// The key for the identity shown to a proxy; applies to all `http` URLs, because any may use the proxy.
  static let proxy = "proxy"

  // Guarded by its own lock.
  private let shown = Locked([String: String]())

  /// Returns the key of a server.
  static func place(host: String, port: Int) -> String { "\(host.lowercased()):\(port)" }

  /// Records the identity shown to a server or a proxy: a certificate digest or a user name.
  func record(_ identity: String, at place: String) {
    shown.withLock { $0[place] = CacheKey.digest([Data(identity.utf8)]) }
  }

  /// Returns the identity shown with requests to the URL; `nil` without an identity.
  func identity(for url: URL) -> String? {
    guard let host = url.host, let scheme = WebScheme(url) else { return nil }
    let isSecure = scheme == .https
    let place = Self.place(host: host, port: url.port ?? (isSecure ? 443 : 80))
    let parts = shown.withLock { shown in [shown[place], isSecure ? nil : shown[Self.proxy]] }
    let known = parts.compactMap(\.self)
    return known.isEmpty ? nil : known.joined(separator: " ")
  }
}
