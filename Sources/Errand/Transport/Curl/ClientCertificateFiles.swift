#if os(Linux)
import Foundation

/// The SHA-256 of the files of client certificates, computed again where a file has changed.
///
/// The content counts, not the path: the file of another user may come in the place of the first one's.
final class ClientCertificateFiles: Sendable {
  private struct Known {
    let state: RegularFile.State
    let digest: String
  }

  // Guard: its lock.
  private let known = Locked([URL: Known]())

  /// The digest of a certificate's file, and whether the file is another than when it was read before.
  ///
  /// A file that cannot be read has a digest of its own each time, so that nothing is found under the digest.
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
