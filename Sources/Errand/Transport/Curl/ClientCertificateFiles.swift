#if os(Linux)
import Foundation

final class ClientCertificateFiles: Sendable {
  private struct Known {
    let state: RegularFile.State
    let digest: String
  }

  private let known = Locked([URL: Known]())

  /// Returns a digest of the certificate's file.
  ///
  /// For an unreadable file, returns a random text, so that no cached response matches.
  func digest(of certificate: TLSSettings.ClientCertificate) -> (text: String, hasChanged: Bool) {
    let file = certificate.files[0]
    let before = known.withLock { $0[file] }
    guard let state = try? RegularFile.state(at: file.path) else { return (SystemRandom.digits(), false) }
    if let before, before.state == state { return (before.digest, false) }
    guard let bytes = try? Data(contentsOf: file) else { return (SystemRandom.digits(), false) }
    let digest = CacheKey.digest([bytes])
    known.withLock { $0[file] = Known(state: state, digest: digest) }
    return (digest, before != nil && before?.digest != digest)
  }
}
#endif
