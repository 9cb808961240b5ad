#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

enum SessionPlatform {
  /// False, because Foundation on Linux would crash.
  static let mayCompleteCancelledTasks = false
  /// False, because body streams block the single queue of all sessions.
  static let streamsBodies = false
  static let capabilities = TransportCapabilities(
    contentCodings: ["gzip", "deflate"], httpVersions: [], implementation: "FoundationNetworking")

  /// Declines the challenge.
  ///
  /// Without a decision, the task would never end.
  static func answer(
    _ challenge: URLAuthenticationChallenge, with handler: SessionChallengeHandler?,
    noting clients: ShownClients, completion: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completion(.cancelAuthenticationChallenge, nil)
  }

  static func apply(_ settings: ConnectionSettings, to configuration: URLSessionConfiguration) -> String? {
    if settings.proxies == .none { return "proxies of .none" }
    if settings.httpVersion == .http3 { return "httpVersion of .http3" }
    return settings.tls.minimumVersion == .tls12 ? nil : "tls.minimumVersion"
  }

  static func assumeHTTP3(_ message: inout URLRequest) {}

  static func restrict(_ message: inout URLRequest, to access: NetworkAccess) {}

  /// Does nothing, because a resumed task would deliver its response again from the beginning.
  static func pause(_ task: URLSessionTask) {}

  static func resume(_ task: URLSessionTask) {}
}
#endif
