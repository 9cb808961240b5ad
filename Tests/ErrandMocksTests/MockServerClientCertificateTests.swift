#if os(Linux)
import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, asking for client certificates", .timeLimit(.minutes(5)))
struct MockServerClientCertificateTests {
  private static func server(_ kind: ServerTLS.ClientCertificates, _ version: TLSSettings.Version) throws
    -> MockServer
  {
    let server = try MockServer(tls: .on(clientCertificates: kind, versions: version...version))
    server.route(.get, "/", answers: .text("ok"))
    return server
  }

  private static func agent(_ server: MockServer, _ certificate: TLSSettings.ClientCertificate?) throws
    -> RequestAgent
  {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = server.authority
    if let certificate { settings.tls.clientCertificates = ["127.0.0.1": certificate] }
    return RequestAgent(baseURL: server.baseURL, transport: try CurlTransport(settings))
  }

  @Test(
    "A client certificate of the server's authority is known by name on every connection",
    arguments: TLSSettings.Version.allCases)
  func named(_ version: TLSSettings.Version) async throws {
    let server = try Self.server(.required, version)
    let agent = try Self.agent(server, server.clientCertificate(named: "Ada Lovelace, Gräfin"))
    server.route(.get, "/last", answers: .text("last").unframed())
    for path in ["", "", "last", "", "last"] { try await agent.send(.get(path)) }
    #expect(
      server.requests.map(\.tls?.clientSubject)
        == Array(repeating: #"CN=Ada Lovelace\, Gräfin"#, count: 5))
    #expect(server.connectionCount == 2)
  }

  @Test(
    "A client without a certificate is refused if the server requires a certificate, and served otherwise",
    arguments: TLSSettings.Version.allCases)
  func missing(_ version: TLSSettings.Version) async throws {
    let strict = try Self.server(.required, version)
    let error = await #expect(throws: RequestError.self) { try await Self.agent(strict, nil).send(.get("")) }
    #expect(error?.kind == .secureConnectionFailed)
    // TLS 1.2 has one alert for many failures (RFC 5246 section 7.4.6).
    #expect(
      version == .tls12
        || error?.reason.hasPrefix("127.0.0.1:\(strict.port) asks for a client certificate") == true,
      "\(String(describing: error))")
    #expect(strict.requests.isEmpty && strict.failedHandshakes.count == 1)
    for kind in [ServerTLS.ClientCertificates.requested, .ignored] {
      let server = try Self.server(kind, version)
      #expect(try await Self.agent(server, nil).send(.get("", as: String.self)) == "ok")
      #expect(server.requests.map(\.tls?.version) == [version])
      #expect(server.requests.map(\.tls?.clientSubject) == [nil])
    }
  }

  @Test(
    "A certificate that is not requested is not sent, and a certificate of another authority fails the handshake"
  )
  func others() async throws {
    let server = try Self.server(.ignored, .tls13)
    try await Self.agent(server, server.clientCertificate(named: "Ada")).send(.get(""))
    #expect(server.requests.map(\.tls?.clientSubject) == [nil])
    let (asking, stranger) = (try Self.server(.requested, .tls13), try MockServer(tls: .on))
    let agent = try Self.agent(asking, stranger.clientCertificate(named: "Eve"))
    let error = await #expect(throws: RequestError.self) { try await agent.send(.get("")) }
    #expect(error?.kind == .secureConnectionFailed, "\(String(describing: error))")
    #expect(asking.requests.isEmpty && asking.failedHandshakes.count == 1)
  }

  @Test(
    "An unknown certificate name is an error, and so is a server without TLS",
    arguments: ["", String(repeating: "a", count: 65)])
  func names(_ name: String) throws {
    let server = try MockServer(tls: .on)
    let error = #expect(throws: TransportError.self) { try server.clientCertificate(named: name) }
    #expect(error?.kind == .secureConnectionFailed)
    #expect(
      error?.message.hasPrefix("OpenSSL could not make the certificate of \(name.debugDescription): ")
        == true,
      "\(String(describing: error))")
    let plain = try MockServer()
    #expect(
      throws: TransportError(
        .invalidRequest, "a server without TLS creates no certificates: use MockServer(tls: .on)")
    ) { try plain.clientCertificate(named: "Ada") }
  }
}
#endif
