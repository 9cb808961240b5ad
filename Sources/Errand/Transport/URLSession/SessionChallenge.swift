import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

enum SessionChallenge {
  /// A decision on the server's certificate, or a client certificate.
  case trust
  /// Credentials, as for a 401 or 407 response.
  case authentication

  init(_ method: String) {
    // On Linux, the constants of the two methods are unavailable.
    let trust = ["NSURLAuthenticationMethodServerTrust", "NSURLAuthenticationMethodClientCertificate"]
    self = trust.contains(method) ? .trust : .authentication
  }

  /// True for the error codes of a declined challenge and of a cancelled task.
  static func isDeclined(_ error: URLError) -> Bool {
    error.code == .cancelled || error.code == .userCancelledAuthentication
  }
}
