#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// What sessions do on Linux.
enum SessionPlatform {
  /// A cancelled task that is answered ends the process.
  static let answersCancelledTasks = false
  /// The bytes of a stream are waited for on the one queue of all sessions; and a file that is being read when its transfer ends ends
  /// the process.
  static let streamsBodies = false
  static let capabilities = TransportCapabilities(
    contentCodings: ["gzip", "deflate"], httpVersions: [], implementation: "FoundationNetworking")

  /// Left unanswered, or left to the system, the task would never end.
  static func answer(
    _ challenge: URLAuthenticationChallenge, with handler: SessionChallengeHandler?,
    noting clients: ShownClients, completion: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completion(.cancelAuthenticationChallenge, nil)
  }

  /// Gives what it does not do.
  static func apply(_ settings: ConnectionSettings, to configuration: URLSessionConfiguration) -> String? {
    if settings.proxies == .none { return "proxies of .none" }
    return settings.tls.minimumVersion == .tls12 ? nil : "tls.minimumVersion"
  }

  /// Does nothing: there is no choice of networks, which `capabilities` tells.
  static func restrict(_ message: inout URLRequest, to access: NetworkAccess) {}

  /// Does nothing: a task that is suspended begins anew, behind what it has given.
  static func rest(_ task: URLSessionTask) {}

  static func goOn(_ task: URLSessionTask) {}
}
#endif
