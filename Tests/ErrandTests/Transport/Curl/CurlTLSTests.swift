#if os(Linux)
import CCurl
import Foundation
import Testing

@testable import Errand

@Suite("Curl: TLS settings", .enabled(if: OpenSSL.system != nil), .timeLimit(.minutes(5)))
struct CurlTLSTests {
  private static func server(_ offer: TLSChannel.Offer = TLSChannel.Offer()) throws -> RawServer {
    try RawServer.secure(offering: offer) { connection in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  private static func transport(_ change: (inout TLSSettings) throws -> Void) throws -> CurlTransport {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = TLSIdentity.certificate
    try change(&settings.tls)
    return try CurlTransport(settings)
  }

  private static let pin = TLSSettings.PublicKeyPin(TLSIdentity.pin)
  private static let otherPin = TLSSettings.PublicKeyPin(Data(repeating: 7, count: 32).base64EncodedString())

  @Test("A match with any pinned key is enough, and no other key is accepted")
  func pins() async throws {
    let server = try Self.server()
    let (pin, other) = (try #require(Self.pin), try #require(Self.otherPin))
    #expect(
      try await Self.transport { $0.pins = ["127.0.0.1": [other, pin]] }.whole(server.url()).text == "ok")
    // Pins of other hosts are ignored. A pattern is ignored if the host has its own pins.
    #expect(
      try await Self.transport { $0.pins = ["other.example": [other], "*": [other], "127.0.0.1": [pin]] }
        .whole(server.url()).text == "ok")
    let error = try await Self.transport { $0.pins = ["127.0.0.1": [other]] }.failure(server.url())
    #expect(
      error?.kind == .secureConnectionFailed && error?.code == Int(CCURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue))
    #expect(
      error?.message.hasPrefix("the public key of 127.0.0.1:\(server.port) matches no pin") == true)
    #expect(error?.advice == .pin)
    #expect(server.requests.count == 2)
  }

  @Test("The pins of a host apply to every spelling", arguments: ["localhost", "LocalHost"])
  func spelling(_ host: String) async throws {
    let server = try Self.server()
    let other = try #require(Self.otherPin)
    let url = try #require(URL(string: "https://\(host):\(server.port)/"))
    let error = try await Self.transport { $0.pins = ["LOCALhost": [other]] }.failure(url)
    #expect(error?.kind == .secureConnectionFailed)
    #expect(server.requests.isEmpty)
  }

  @Test(
    "The pins of an address apply to every spelling",
    arguments: ["127.1", "0x7f000001", "2130706433", "0177.0.0.1"])
  func numbers(_ host: String) async throws {
    let server = try Self.server()
    let (pin, other) = (try #require(Self.pin), try #require(Self.otherPin))
    let url = try #require(URL(string: "https://\(host):\(server.port)/"))
    let wrong = try Self.transport { $0.pins = ["127.0.0.1": [other]] }
    let right = try Self.transport { $0.pins = ["127.0.0.1": [pin], "*": [other]] }
    let error = await wrong.failure(url)
    #expect(error?.code == Int(CCURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue), "\(String(describing: error))")
    #expect(try await right.whole(url).text == "ok")
    // An agent sends the host in its canonical form.
    let refused = try await #require(throws: RequestError.self) {
      try await RequestAgent(transport: wrong).send(.get(url.absoluteString, as: String.self))
    }
    #expect(
      refused.reason.hasPrefix("the public key of 127.0.0.1:\(server.port) matches no pin"),
      "\(refused)")
    let answer = try await RequestAgent(transport: right).response(
      for: .get(url.absoluteString, as: String.self))
    #expect(answer.response.url == server.url() && server.requests.count == 2)
  }

  @Test("Pins do not validate a certificate that is untrusted, expired, or for another host")
  func refused() async throws {
    let pin = try #require(Self.pin)
    let server = try Self.server()
    var settings = ConnectionSettings()
    settings.tls.pins = ["*": [pin]]
    let unknown = try await CurlTransport(settings).failure(server.url())
    #expect(unknown?.kind == .secureConnectionFailed && unknown?.advice == .privateAuthority)

    let expired = try Self.server(.init(isExpired: true))
    let old = try await Self.transport {
      $0.pins = ["*": [pin]]
      $0.certificateAuthorities = TLSIdentity.expired
    }.failure(expired.url())
    #expect(
      old?.kind == .secureConnectionFailed && old?.message.contains("expired") == true,
      "\(String(describing: old))")

    let wrong = try #require(URL(string: "https://app.localhost:\(server.port)/"))
    let other = try await Self.transport { $0.pins = ["*": [pin]] }.failure(wrong)
    #expect(other?.kind == .secureConnectionFailed, "\(String(describing: other))")
    #expect(server.requests.isEmpty && expired.requests.isEmpty)
  }

  @Test("The oldest version is 1.2, or the configured version")
  func versions() async throws {
    let (old, middle, new) = (
      try Self.server(.init(newest: 0x0302)), try Self.server(.init(newest: 0x0303)), try Self.server()
    )
    let standard = try Self.transport { _ in }
    #expect(await standard.failure(old.url())?.kind == .secureConnectionFailed)
    #expect(try await standard.whole(middle.url()).text == "ok")
    let strict = try Self.transport { $0.minimumVersion = .tls13 }
    #expect(await strict.failure(middle.url())?.kind == .secureConnectionFailed)
    #expect(try await strict.whole(new.url()).text == "ok")
  }

  @Test("The negotiated parameters are in the report, also for a reused connection")
  func details() async throws {
    let server = try Self.server(.init(alpn: "http/1.1"))
    let transport = try Self.transport { _ in }
    var found: [TransportSummary.Metrics.TLSDetails?] = []
    for _ in 0..<3 {
      let body = try await transport.get(server.url()).body
      _ = try await body.all()
      found.append(body.summary.metrics?.tls)
    }
    let pem = try String(contentsOf: TLSIdentity.certificate, encoding: .utf8)
    let der = try #require(
      Data(base64Encoded: pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()))
    let expected = TransportSummary.Metrics.TLSDetails(
      version: "TLS 1.3", cipherSuite: "TLS_AES_256_GCM_SHA384", applicationProtocol: "http/1.1",
      certificates: [der])
    #expect(found == [expected, expected, expected])
    #expect(server.connectionCount == 1)
    let middle = try Self.server(.init(newest: 0x0303))
    let body = try await transport.get(middle.url()).body
    _ = try await body.all()
    let tls = try #require(body.summary.metrics?.tls)
    #expect(tls.version == "TLS 1.2" && tls.cipherSuite?.hasPrefix("TLS_ECDHE_ECDSA_WITH_") == true)
    #expect(tls.applicationProtocol == nil && tls.certificates == [der])
  }

  static let certificates: [(String, TLSSettings.ClientCertificate)] = [
    ("PEM", .pem(TLSIdentity.certificate, key: TLSIdentity.key)),
    (
      "an encrypted key",
      .pem(TLSIdentity.certificate, key: TLSIdentity.encryptedKey, passphrase: Secret(TLSIdentity.passphrase))
    ),
    ("PKCS #12", .pkcs12(TLSIdentity.archive, passphrase: Secret(TLSIdentity.passphrase))),
  ]

  @Test("A server that requests a certificate gets its host's certificate", arguments: certificates)
  func client(_ row: (String, TLSSettings.ClientCertificate)) async throws {
    let server = try Self.server(.init(asksForClient: true))
    let transport = try Self.transport { $0.clientCertificates = ["127.0.0.1": row.1] }
    #expect(try await transport.whole(server.url()).text == "ok", "\(row.0)")
    let other = try #require(URL(string: "https://localhost:\(server.port)/"))
    let error = await transport.failure(other)
    #expect(
      error?.message.hasPrefix("localhost:\(server.port) asks for a client certificate") == true,
      "\(String(describing: error))")
    #expect(
      error?.advice?.text
        == "Set a client certificate for the host in ConnectionSettings.tls.clientCertificates.")
    #expect(server.requests.count == 1)
  }

  @Test("A wrong or missing passphrase is an error without a prompt")
  func passphrases() async throws {
    let server = try Self.server(.init(asksForClient: true))
    for passphrase in [nil, Secret("wrong-phrase")] {
      for certificate in [
        TLSSettings.ClientCertificate.pem(
          TLSIdentity.certificate, key: TLSIdentity.encryptedKey, passphrase: passphrase),
        .pkcs12(TLSIdentity.archive, passphrase: passphrase),
      ] {
        let error = try await Self.transport { $0.clientCertificates = ["*": certificate] }.failure(
          server.url())
        #expect(error?.kind == .secureConnectionFailed)
        #expect(
          error?.message.hasPrefix("the client certificate could not be used") == true,
          "\(String(describing: error))")
        #expect(error?.description.contains("wrong-phrase") == false && error?.advice == .ownCertificate)
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test("Invalid settings are errors at the creation of the transport")
  func judged() throws {
    let missing = URL(fileURLWithPath: "/none/such.pem")
    let pin = try #require(Self.pin)
    func error(_ change: (inout ConnectionSettings) -> Void) -> TransportError? {
      var settings = ConnectionSettings()
      change(&settings)
      do throws(TransportError) {
        _ = try CurlTransport(settings)
        return nil
      } catch { return error }
    }
    let unreadable = TransportError(.file, "/none/such.pem cannot be read")
    #expect(error { $0.tls.certificateAuthorities = missing } == unreadable)
    #expect(error { $0.tls.clientCertificates = ["a": .pem(missing)] } == unreadable)
    #expect(error { $0.tls.clientCertificates = ["a": .pkcs12(missing)] } == unreadable)
    #expect(
      error { $0.tls.pins = ["a": [pin], "b": []] }
        == TransportError(.invalidRequest, "tls.pins has no key for b"))
    #expect(error { $0.tls.minimumVersion = .tls13 } == nil)
    func stray(_ place: String, _ text: String) -> TransportError {
      TransportError(.invalidRequest, "\(place) contains an invalid host: \"\(text)\"")
    }
    #expect(error { $0.tls.pins = ["localhost:443": [pin]] } == stray("tls.pins", "localhost:443"))
    let own = TLSSettings.ClientCertificate.pem(TLSIdentity.certificate, key: TLSIdentity.key)
    #expect(
      error { $0.tls.clientCertificates = ["https://a": own] } == stray("tls.clientCertificates", "https://a")
    )
    #expect(
      error { $0.proxies = Proxy.Rules(exceptions: [".a.example"]) }
        == stray("proxies.exceptions", ".a.example"))
  }
}
#endif
