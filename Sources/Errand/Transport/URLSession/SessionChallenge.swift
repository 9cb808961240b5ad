import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

enum SessionChallenge {
  /// The challenge asks for a decision on the server's certificate, or for a client certificate.
  case trust
  case authentication

  init(_ method: String) {
    // On Linux, the constants of the two methods are unavailable.
    let trust = ["NSURLAuthenticationMethodServerTrust", "NSURLAuthenticationMethodClientCertificate"]
    self = trust.contains(method) ? .trust : .authentication
  }

  /// Returns true for a declined challenge.
  ///
  /// A cancelled task has the same error.
  static func isDeclined(_ error: URLError) -> Bool {
    error.code == .cancelled || error.code == .userCancelledAuthentication
  }
}
