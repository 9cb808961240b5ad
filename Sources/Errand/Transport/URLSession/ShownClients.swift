import Foundation

/// What the app's answers to challenges have shown of the client in the connections of one session, by host and port.
///
/// Nothing is known before the first challenge: what comes then is not kept, see ``Transport/clientIdentity(for:)``.
final class ShownClients: Sendable {
  /// The place of credentials for a proxy, which every request to an http URL may go through.
  static let proxy = "proxy"

  // Guard: its lock.
  private let shown = Locked([String: String]())

  /// The place of a server.
  static func place(host: String, port: Int) -> String { "\(host.lowercased()):\(port)" }

  /// Records what was shown to a server or a proxy: a digest, or a name.
  func record(_ identity: String, at place: String) {
    shown.withLock { $0[place] = CacheKey.digest([Data(identity.utf8)]) }
  }

  /// What a request to the URL shows, besides what is in the request; `nil` for nothing.
  func identity(for url: URL) -> String? {
    guard let host = url.host, let scheme = WebScheme(url) else { return nil }
    let isSecure = scheme == .https
    let place = Self.place(host: host, port: url.port ?? (isSecure ? 443 : 80))
    let parts = shown.withLock { shown in [shown[place], isSecure ? nil : shown[Self.proxy]] }
    let known = parts.compactMap(\.self)
    return known.isEmpty ? nil : known.joined(separator: " ")
  }
}
