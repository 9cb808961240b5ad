import Foundation

/// The only origins that may get the authenticator's credentials, because a path may be a URL from untrusted
/// data.
struct TrustedOrigins: Sendable {
  private let origins: Set<Origin>

  init(bases: [String]) { origins = Set(bases.compactMap(Self.origin)) }

  func contain(_ url: URL, of request: some Request) -> Bool {
    guard let origin = Origin(url) else { return false }
    if origins.contains(origin) { return true }
    return [request.baseURL, request.usesCDN ? request.cdnURL : nil].contains { base in
      base.flatMap { Self.origin(of: $0.absoluteString) } == origin
    }
  }

  /// Joins like a request, so that the host is encoded alike.
  private static func origin(of base: String) -> Origin? {
    (try? URLJoining.url(base: base, path: "", query: [])).flatMap(Origin.init)
  }
}
