#if !canImport(Darwin)
import Errand
import Foundation

final class OpenSSLIdentity: ServerIdentity {
  private let library: OpenSSL
  private let issuer: MockAuthority
  private let context: OpenSSL.Owned
  let pin: TLSSettings.PublicKeyPin?

  init(_ settings: ServerTLS, library: OpenSSL, issuer: MockAuthority) throws(TransportError) {
    let shown = try Self.certificate(settings.certificate, library: library, issuer: issuer)
    guard
      let context = OpenSSL.Owned(library.makeContext(library.serverMethod()), freedBy: library.freeContext)
    else {
      throw MockAuthority.failure("start a server", by: library)
    }
    (self.library, self.issuer, self.context) = (library, issuer, context)
    pin = Self.pin(of: shown.key, library)
    try prepare(settings, showing: shown)
  }

  var authority: URL { issuer.file }

  func clientCertificate(named name: String) throws(TransportError) -> TLSSettings.ClientCertificate {
    try issuer.clientCertificate(named: name)
  }

  func sharingAuthority(_ settings: ServerTLS) throws(TransportError) -> any ServerIdentity {
    try OpenSSLIdentity(settings, library: library, issuer: issuer)
  }

  func makeCipher() -> (any ConnectionCipher)? { OpenSSLCipher(library, context: context) }

  private static func certificate(
    _ kind: ServerTLS.Certificate, library: OpenSSL, issuer: MockAuthority
  ) throws(TransportError) -> MockAuthority.Pair {
    let here = ["DNS:localhost", "DNS:*.localhost", "IP:127.0.0.1", "IP:::1"]
    let (day, good) = (86_400, MockAuthority.Claims().validity)
    switch kind {
    case .valid: return try issuer.serverCertificate(for: here, validity: good)
    case .expired: return try issuer.serverCertificate(for: here, validity: -10 * day...(-day))
    case .notYetValid: return try issuer.serverCertificate(for: here, validity: day...(10 * day))
    case .ofUnknownAuthority:
      return try MockAuthority(library).serverCertificate(for: here, validity: good)
    case .forHost(let host):
      // OpenSSL's extension syntax has special characters, such as `,` and `:`.
      guard !host.isEmpty, host.utf8.allSatisfy(isOfHost) else {
        throw TransportError(.invalidRequest, "ServerTLS has an invalid host: \(host.debugDescription)")
      }
      return try issuer.serverCertificate(for: ["DNS:\(host)"], validity: good)
    }
  }

  private static func pin(of key: OpenSSL.Owned, _ library: OpenSSL) -> TLSSettings.PublicKeyPin? {
    guard let bytes = library.written({ library.certificates.writePublicKey($0, key.object) }) else {
      return nil
    }
    var hash = [UInt8](repeating: 0, count: 32)
    _ = library.certificates.hash(bytes, bytes.count, &hash)
    return TLSSettings.PublicKeyPin(Data(hash).base64EncodedString())
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2A: true
    default: false
    }
  }

  private func prepare(_ settings: ServerTLS, showing shown: MockAuthority.Pair) throws(TransportError) {
    // SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION.
    let (oldest, newest): (Int32, Int32) = (123, 124)
    let name = Array("errand".utf8)
    guard library.useCertificate(context.object, shown.certificate.object) == 1,
      library.useKey(context.object, shown.key.object) == 1,
      library.control(context.object, oldest, settings.versions.lowerBound.number, nil) == 1,
      library.control(context.object, newest, settings.versions.upperBound.number, nil) == 1,
      library.setSessionContext(context.object, name, UInt32(name.count)) == 1
    else { throw MockAuthority.failure("prepare a server", by: library) }
    guard settings.clientCertificates != .ignored else { return }
    guard let store = library.store(context.object),
      library.addToStore(store, issuer.own.certificate.object) == 1,
      library.addClientAuthority(context.object, issuer.own.certificate.object) == 1
    else { throw MockAuthority.failure("ask for client certificates", by: library) }
    // 1 is SSL_VERIFY_PEER; 3 adds SSL_VERIFY_FAIL_IF_NO_PEER_CERT.
    library.setVerifying(context.object, settings.clientCertificates == .required ? 3 : 1, nil)
  }
}

extension TLSSettings.Version {
  fileprivate var number: Int { self == .tls12 ? 0x0303 : 0x0304 }
}

extension ServerTLS {
  func makeIdentity() throws(TransportError) -> any ServerIdentity {
    if let authority { return try authority.sharingAuthority(self) }
    guard let library = OpenSSL.system else {
      throw TransportError(
        .unsupported,
        "MockServer(tls:) needs OpenSSL, but neither libssl.so.3 and libcrypto.so.3 nor libssl.so.1.1 and libcrypto.so.1.1 can be loaded"
      )
    }
    return try OpenSSLIdentity(self, library: library, issuer: MockAuthority(library))
  }
}
#endif
