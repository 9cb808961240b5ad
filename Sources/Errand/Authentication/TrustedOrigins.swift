import Foundation

/// Where an agent's credentials may go: the origins that code names.
///
/// A path may come from data, also a whole URL in it.
struct TrustedOrigins: Sendable {
  /// Of the agent.
  private let origins: Set<Origin>

  /// - Parameter bases: URLs whose origins they are.
  init(bases: [String]) { origins = Set(bases.compactMap(Self.origin)) }

  /// Whether a request of the agent, which may name bases of its own, may carry credentials there.
  func contain(_ url: URL, of request: some Request) -> Bool {
    guard let origin = Origin(url) else { return false }
    if origins.contains(origin) { return true }
    return [request.baseURL, request.usesCDN ? request.cdnURL : nil].contains { base in
      base.flatMap { Self.origin(of: $0.absoluteString) } == origin
    }
  }

  /// As requests have it, also of a base with an international host.
  private static func origin(of base: String) -> Origin? {
    (try? URLJoining.url(base: base, path: "", query: [])).flatMap(Origin.init)
  }
}
