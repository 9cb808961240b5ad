#if !canImport(Darwin)
import Errand
import Foundation

final class MockAuthority: Sendable {
  struct Pair: Sendable {
    let certificate: OpenSSL.Owned
    let key: OpenSSL.Owned
  }

  struct Claims {
    /// In seconds from now.
    var validity = -3600...(30 * 86_400)
    /// `number` is OpenSSL's numeric identifier (NID).
    var extensions: [(number: Int32, value: String)] = []
  }

  private static let (basicConstraints, keyUsage, extendedKeyUsage, names): (Int32, Int32, Int32, Int32) =
    (87, 83, 126, 85)

  let library: OpenSSL
  let own: Pair
  let file: URL
  private let folder: TemporaryFolder

  init(_ library: OpenSSL) throws(TransportError) {
    self.library = library
    // A random name, because clients may report a forged certificate if two authorities have the same name.
    let name = "Errand mock authority \(String(UInt32.random(in: 0...(.max)), radix: 16))"
    let claims = Claims(extensions: [
      (Self.basicConstraints, "critical,CA:TRUE"), (Self.keyUsage, "critical,keyCertSign,cRLSign"),
    ])
    own = try Self.issue(for: name, claims: claims, by: nil, library: library)
    folder = try TemporaryFolder()
    file = try folder.write(Self.pem(of: own.certificate, library), to: "authority.pem")
  }

  /// Creates a certificate; `hosts` have the syntax of `subjectAltName`, such as `DNS:localhost`.
  func serverCertificate(for hosts: [String], validity: ClosedRange<Int>) throws(TransportError) -> Pair {
    let claims = Claims(
      validity: validity,
      extensions: [
        (Self.basicConstraints, "critical,CA:FALSE"), (Self.extendedKeyUsage, "serverAuth"),
        (Self.names, hosts.joined(separator: ",")),
      ])
    return try Self.issue(for: "Errand mock server", claims: claims, by: own, library: library)
  }

  func clientCertificate(named name: String) throws(TransportError) -> TLSSettings.ClientCertificate {
    let claims = Claims(extensions: [
      (Self.basicConstraints, "critical,CA:FALSE"), (Self.extendedKeyUsage, "clientAuth"),
    ])
    let pair = try Self.issue(for: name, claims: claims, by: own, library: library)
    let key = library.written { stream in
      library.certificates.writeKey(stream, pair.key.object, nil, nil, 0, nil, nil)
    }
    guard let key else { throw Self.failure("write a key", by: library) }
    let text = try Self.pem(of: pair.certificate, library) + key
    return .pem(try folder.write(text, to: "client-\(UUID().uuidString).pem"))
  }

  private static func pem(of certificate: OpenSSL.Owned, _ library: OpenSSL) throws(TransportError) -> [UInt8]
  {
    guard let text = library.written({ library.certificates.writeCertificate($0, certificate.object) }) else {
      throw failure("write a certificate", by: library)
    }
    return text
  }

  private static func issue(
    for name: String, claims: Claims, by issuer: Pair?, library: OpenSSL
  ) throws(TransportError) -> Pair {
    library.clearErrors()
    let key = try makeKey(library)
    guard
      let certificate = OpenSSL.Owned(
        library.certificates.makeCertificate(), freedBy: library.certificates.freeCertificate)
    else {
      throw failure("make a certificate", by: library)
    }
    guard fill(certificate.object, for: name, claims: claims, key: key, library: library) else {
      throw failure("make the certificate of \(name.debugDescription)", by: library)
    }
    guard let signer = library.certificates.subject((issuer?.certificate ?? certificate).object),
      library.certificates.setIssuer(certificate.object, signer) == 1,
      library.certificates.sign(
        certificate.object, (issuer?.key ?? key).object, library.certificates.sha256()) > 0
    else { throw failure("sign a certificate", by: library) }
    return Pair(certificate: certificate, key: key)
  }

  private static func fill(
    _ certificate: OpenSSL.Object, for name: String, claims: Claims, key: OpenSSL.Owned, library: OpenSSL
  ) -> Bool {
    // Version number 2 means X.509 version 3. 0x1000 is MBSTRING_UTF8.
    guard let bytes = Optional(Array(name.utf8)), bytes.count < 1 << 16,
      let serial = library.certificates.serialNumber(certificate),
      let subject = library.certificates.subject(certificate),
      let begin = library.certificates.begin(certificate),
      let expiry = library.certificates.expiry(certificate),
      library.certificates.setVersion(certificate, 2) == 1,
      library.certificates.setInteger(serial, .random(in: 1...(.max))) == 1,
      library.certificates.setTime(begin, claims.validity.lowerBound) != nil,
      library.certificates.setTime(expiry, claims.validity.upperBound) != nil,
      library.certificates.addName(subject, "CN", 0x1000, bytes, Int32(bytes.count), -1, 0) == 1,
      library.certificates.setPublicKey(certificate, key.object) == 1
    else { return false }
    return claims.extensions.allSatisfy { number, value in
      guard let made = library.certificates.makeExtension(nil, nil, number, value) else { return false }
      defer { library.certificates.freeExtension(made) }
      return library.certificates.addExtension(certificate, made, -1) == 1
    }
  }

  private static func makeKey(_ library: OpenSSL) throws(TransportError) -> OpenSSL.Owned {
    let (elliptic, making, curveOption, p256): (Int32, Int32, Int32, Int32) = (408, 6, 0x1001, 415)
    guard
      let generator = OpenSSL.Owned(
        library.certificates.makeGenerator(elliptic, nil), freedBy: library.certificates.freeGenerator)
    else {
      throw failure("make a key", by: library)
    }
    var made: OpenSSL.Object?
    guard library.certificates.startGenerator(generator.object) == 1,
      library.certificates.controlGenerator(generator.object, elliptic, making, curveOption, p256, nil) > 0,
      library.certificates.generate(generator.object, &made) == 1,
      let key = OpenSSL.Owned(made, freedBy: library.certificates.freeKey)
    else { throw failure("make a key", by: library) }
    return key
  }

  static func failure(_ what: String, by library: OpenSSL) -> TransportError {
    TransportError(.secureConnectionFailed, "OpenSSL could not \(what): \(library.takeReason())")
  }
}

/// A folder that only the current user can access; removed with the object.
final class TemporaryFolder: Sendable {
  private let url: URL

  init() throws(TransportError) {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("errand-mock-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw TransportError(.file, "\(url.path) cannot be created: \(error.localizedDescription)")
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ bytes: [UInt8], to name: String) throws(TransportError) -> URL {
    let file = url.appendingPathComponent(name)
    do {
      try Data(bytes).write(to: file)
    } catch {
      throw TransportError(.file, "\(file.path) cannot be written: \(error.localizedDescription)")
    }
    return file
  }
}
#endif
