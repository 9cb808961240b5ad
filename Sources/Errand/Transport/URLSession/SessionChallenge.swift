import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a connection asks the session for.
enum SessionChallenge {
  /// Whether its certificate is trusted, or for a certificate of the client's.
  case trust
  /// A name and a password, for a 401 or 407.
  case authentication

  /// - Parameter method: as a protection space names it.
  init(_ method: String) {
    // Foundation on Linux does not have the names of these two.
    let trust = ["NSURLAuthenticationMethodServerTrust", "NSURLAuthenticationMethodClientCertificate"]
    self = trust.contains(method) ? .trust : .authentication
  }

  /// Whether an error says that a challenge was declined, or that the task was cancelled, which have one code.
  static func isDeclined(_ error: URLError) -> Bool {
    error.code == .cancelled || error.code == .userCancelledAuthentication
  }
}
