import Foundation

/// The origins allowed to receive an agent's credentials: origins named in code.
///
/// A path may come from untrusted data, even as a whole URL.
struct TrustedOrigins: Sendable {
  /// The origins of the agent.
  private let origins: Set<Origin>

  /// - Parameter bases: URLs with the origins.
  init(bases: [String]) { origins = Set(bases.compactMap(Self.origin)) }

  /// Returns true if a request, with its own base URLs, may send credentials to a URL.
  func contain(_ url: URL, of request: some Request) -> Bool {
    guard let origin = Origin(url) else { return false }
    if origins.contains(origin) { return true }
    return [request.baseURL, request.usesCDN ? request.cdnURL : nil].contains { base in
      base.flatMap { Self.origin(of: $0.absoluteString) } == origin
    }
  }

  /// Returns the origin in the form used by requests, also for an international host.
  private static func origin(of base: String) -> Origin? {
    (try? URLJoining.url(base: base, path: "", query: [])).flatMap(Origin.init)
  }
}
