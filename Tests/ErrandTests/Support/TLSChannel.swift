#if os(Linux)
import Foundation

/// Used by one thread.
final class TLSChannel: ServerChannel {
  struct Offer: Sendable {
    /// Selected if the client offers the protocol.
    var alpn: String?
    /// In OpenSSL's numbers: 0x0302 is 1.1, 0x0303 is 1.2, 0x0304 is 1.3.
    var newest = 0x0304
    var isExpired = false
    /// Clients must present the certificate of ``TLSIdentity``.
    var asksForClient = false
  }

  private let library: OpenSSL
  private let session: OpenSSL.Object
  private let descriptor: Int32

  /// `nil` if the handshake fails, or without OpenSSL.
  init?(_ descriptor: Int32, _ context: TLSContext) {
    // OpenSSL writes without `MSG_NOSIGNAL`, so SIGPIPE is blocked.
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, nil)
    guard let session = context.library.make(context.object) else { return nil }
    (library, self.session, self.descriptor) = (context.library, session, descriptor)
    LoopbackSocket.setPrompt(descriptor)
    _ = library.setDescriptor(session, descriptor)
    guard library.accept(session) == 1 else {
      // Closing a socket with unread bytes sends a reset, and the alert would be lost.
      shutdown(descriptor, Int32(SHUT_WR))
      while !LoopbackSocket.receive(from: descriptor).isEmpty {}
      return nil
    }
  }

  deinit { library.free(session) }

  /// Such as `TLSv1.3`.
  var version: String { library.version(session).map { String(cString: $0) } ?? "" }

  func receive() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      count = Int(max(0, library.read(session, buffer.baseAddress, Int32(buffer.count))))
    }
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.isEmpty || library.write(session, bytes.baseAddress, Int32(bytes.count)) > 0
  }

  /// A record without data that changes the server's keys (RFC 8446 section 4.6.3).
  func updateKey() {
    _ = library.updateKey(session, 0)
    _ = library.handshake(session)
  }

  func close() {
    _ = library.shutDown(session)
    cut()
  }

  func cut() { LoopbackSocket.close(descriptor) }
  func reset() { LoopbackSocket.reset(descriptor) }
  func hold() { LoopbackSocket.setHeld(descriptor, true) }
  func release() { LoopbackSocket.setHeld(descriptor, false) }
}

/// OpenSSL's `SSL_CTX`, never freed.
struct TLSContext: @unchecked Sendable {
  let library: OpenSSL
  // Guard: OpenSSL counts references, and `init` makes the last change.
  let object: OpenSSL.Object

  init?(_ offer: TLSChannel.Offer) {
    guard let library = OpenSSL.system, let object = library.makeContext(library.method()) else { return nil }
    (self.library, self.object) = (library, object)
    let pem: Int32 = 1
    let certificate = offer.isExpired ? TLSIdentity.expired : TLSIdentity.certificate
    _ = library.useCertificate(object, certificate.path, pem)
    _ = library.useKey(object, TLSIdentity.key.path, pem)
    // SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION.
    _ = library.control(object, 123, min(offer.newest, 0x0303), nil)
    _ = library.control(object, 124, offer.newest, nil)
    if offer.asksForClient {
      _ = library.trust(object, TLSIdentity.certificate.path, nil)
      // SSL_VERIFY_PEER and SSL_VERIFY_FAIL_IF_NO_PEER_CERT.
      library.verify(object, 3, nil)
    }
    // TLS versions before 1.2 sign with SHA-1.
    if offer.newest < 0x0303 { library.setSecurityLevel(object, 0) }
    guard let alpn = offer.alpn else { return }
    // In the client's list, each name follows its length. SSL_TLSEXT_ERR_OK is 0, SSL_TLSEXT_ERR_NOACK is 3.
    let wanted = UnsafeMutablePointer<UInt8>.allocate(capacity: alpn.utf8.count + 1)
    wanted[0] = UInt8(alpn.utf8.count)
    for (index, byte) in alpn.utf8.enumerated() { wanted[index + 1] = byte }
    library.setChoosing(
      object,
      { _, chosen, length, names, size, wanted in
        guard let chosen, let length, let names, let wanted = wanted?.assumingMemoryBound(to: UInt8.self)
        else {
          return 3
        }
        var index = 0
        while index + 1 < Int(size), index + Int(names[index]) < Int(size) {
          if memcmp(names + index, wanted, Int(wanted[0]) + 1) == 0 {
            (chosen.pointee, length.pointee) = (names + index + 1, names[index])
            return 0
          }
          index += Int(names[index]) + 1
        }
        return 3
      }, wanted)
  }
}

extension RawServer {
  /// With the certificate of ``TLSIdentity``.
  static func secure(
    offering offer: TLSChannel.Offer = TLSChannel.Offer(), _ script: @escaping Script
  ) throws -> RawServer {
    guard let context = TLSContext(offer) else { throw POSIXError(.ENOENT) }
    return RawServer(scheme: "https", opening: { TLSChannel($0, context) }, script)
  }
}
#endif
