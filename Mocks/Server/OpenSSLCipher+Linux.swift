#if !canImport(Darwin)
import Errand
import Foundation

final class OpenSSLCipher: ConnectionCipher {
  private(set) var state = CipherState.open
  private(set) var details: ReceivedRequest.TLS?
  private(set) var hasSaidEnd = false
  private let library: OpenSSL
  /// Retained for the lifetime of the session.
  private let context: OpenSSL.Owned
  private let session: OpenSSL.Object
  /// Streams that the session frees.
  private let (input, output): (OpenSSL.Object, OpenSSL.Object)
  private var piece = [UInt8](repeating: 0, count: 16_384)

  init?(_ library: OpenSSL, context: OpenSSL.Owned) {
    guard let session = library.makeSession(context.object) else { return nil }
    guard let input = library.makeStream(library.memoryMethod()) else {
      library.freeSession(session)
      return nil
    }
    guard let output = library.makeStream(library.memoryMethod()) else {
      _ = library.freeStream(input)
      library.freeSession(session)
      return nil
    }
    library.setStreams(session, input, output)
    library.accept(session)
    (self.library, self.context, self.session) = (library, context, session)
    (self.input, self.output) = (input, output)
  }

  deinit { library.freeSession(session) }

  func open(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard state == .open else { return [] }
    library.clearErrors()
    let taken = bytes.withUnsafeBytes { library.writeStream(input, $0.baseAddress, Int32($0.count)) }
    guard taken == bytes.count else {
      state = .failed("memory is short")
      return []
    }
    guard details != nil || agree() else { return [] }
    var text: [UInt8] = []
    while state == .open {
      let count = library.read(session, &piece, Int32(piece.count))
      guard count > 0 else {
        interpretFailure(count)
        break
      }
      text += piece.prefix(Int(count))
    }
    return text
  }

  func seal(_ bytes: Data) {
    var rest = bytes
    while !rest.isEmpty, state == .open {
      library.clearErrors()
      let part = rest.prefix(1 << 16)
      let count = part.withUnsafeBytes { library.write(session, $0.baseAddress, Int32($0.count)) }
      guard count == part.count else {
        state = .failed(library.takeReason())
        return
      }
      rest = rest.dropFirst(part.count)
    }
  }

  func sendCloseNotify() {
    guard !hasSaidEnd else { return }
    hasSaidEnd = true
    if case .failed = state { return }
    guard details != nil else { return }
    library.clearErrors()
    _ = library.shutDown(session)
  }

  func takeOutput() -> Data { Data(library.take(from: output)) }

  private func agree() -> Bool {
    let result = library.handshake(session)
    guard result == 1 else {
      interpretFailure(result)
      return false
    }
    details = ReceivedRequest.TLS(
      version: library.version(session) == 0x0303 ? .tls12 : .tls13, clientSubject: clientSubject,
      serverName: library.serverName(session, 0).map { String(cString: $0) })
    return true
  }

  private func interpretFailure(_ result: Int32) {
    let (wantsInput, hasEnded): (Int32, Int32) = (2, 6)
    switch library.errorCode(session, result) {
    case wantsInput: break
    case hasEnded: state = .ended
    default: state = .failed(library.takeReason())
    }
  }

  private var clientSubject: String? {
    guard
      let certificate = OpenSSL.Owned(
        library.peerCertificate(session), freedBy: library.certificates.freeCertificate),
      let name = library.certificates.subject(certificate.object)
    else { return nil }
    // XN_FLAG_RFC2253 without the escaping of non-ASCII characters.
    let form: UInt = 0x0111_0313
    return library.written { library.certificates.writeName($0, name, 0, form) }.map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
#endif
