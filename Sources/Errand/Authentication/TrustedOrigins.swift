import Foundation

/// The origins that may get the authenticator's credentials.
///
/// A path may be a URL from untrusted data, so unknown origins get no credentials.
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

  /// Builds the URL in the same way as a request, so that the host has the same encoding.
  private static func origin(of base: String) -> Origin? {
    (try? URLJoining.url(base: base, path: "", query: [])).flatMap(Origin.init)
  }
}
