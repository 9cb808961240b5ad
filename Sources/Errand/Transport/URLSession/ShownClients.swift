import Foundation

/// The client identity that a session last showed to each server, and to proxies.
final class ShownClients: Sendable {
  /// The key of the identity shown to proxies.
  ///
  /// This identity counts only for `http` URLs.
  static let proxy = "proxy"

  private let shown = Locked([String: String]())

  static func place(host: String, port: Int) -> String { "\(host.lowercased()):\(port)" }

  func record(_ identity: String, at place: String) {
    shown.withLock { $0[place] = CacheKey.digest([Data(identity.utf8)]) }
  }

  func identity(for url: URL) -> String? {
    guard let host = url.host, let scheme = WebScheme(url) else { return nil }
    let isSecure = scheme == .https
    let place = Self.place(host: host, port: url.port ?? (isSecure ? 443 : 80))
    let parts = shown.withLock { shown in [shown[place], isSecure ? nil : shown[Self.proxy]] }
    let known = parts.compactMap(\.self)
    return known.isEmpty ? nil : known.joined(separator: " ")
  }
}
