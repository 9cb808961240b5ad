#if os(Linux)
import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, over TLS", .timeLimit(.minutes(5)))
struct MockServerTLSTests {
  private static func agent(_ server: MockServer) -> RequestAgent {
    RequestAgent(
      baseURL: server.baseURL, transport: CurlTransport(certificateAuthorities: server.authority))
  }

  @Test(
    "A single setting trusts the server, connections are reused, and a request has the TLS parameters"
  )
  func agreed() async throws {
    let server = try MockServer(tls: .on)
    server.route(.get, "/users/*", answers: .text("ok"))
    let agent = Self.agent(server)
    for id in 1...3 { #expect(try await agent.send(.get("users/\(id)", as: String.self)) == "ok") }
    #expect(server.baseURL.absoluteString == "https://127.0.0.1:\(server.port)")
    #expect(server.requests.map { $0.url?.absoluteString } == (1...3).map { "\(server.baseURL)/users/\($0)" })
    #expect(server.connectionCount == 1 && server.failedHandshakes.isEmpty)
    let tls = try #require(server.requests[0].tls)
    #expect(tls.version == .tls13 && tls.clientSubject == nil && tls.serverName == nil)
    let named = RequestAgent(
      baseURL: "https://localhost:\(server.port)",
      transport: CurlTransport(certificateAuthorities: server.authority))
    try await named.send(.get("users/4"))
    #expect(server.requests[3].tls?.serverName == "localhost")
    #expect(try MockServer().authority == nil)
  }

  @Test("A response that ends with the connection ends with close_notify, or was truncated")
  func ends() async throws {
    let server = try MockServer(tls: .on)
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    server.route(.get, "/unframed", answers: .text("whole").unframed())
    server.route(.get, "/said", answers: .raw(.send(head), .send("said"), .closeNotify, .close))
    server.route(.get, "/cut", answers: .raw(.send(head), .send("cut"), .close))
    server.route(.get, "/short", answers: .text("hello").cut(.body, after: 3))
    server.route(.get, "/reset", answers: .fault(.reset))
    server.route(.get, "/zeros", answers: .bomb(100_000))
    let agent = Self.agent(server)
    #expect(try await agent.send(.get("unframed", as: String.self)) == "whole")
    #expect(try await agent.send(.get("said", as: String.self)) == "said")
    #expect(try await agent.send(.get("zeros", as: Data.self)) == Data(count: 100_000))
    for path in ["cut", "short", "reset"] {
      let error = await #expect(throws: RequestError.self) {
        try await agent.send(.get(path, as: String.self))
      }
      #expect(error?.kind == .connectionLost, "\(path): \(String(describing: error))")
    }
  }

  @Test("close_notify arrives before the end of the connection")
  func closeNotify() async throws {
    let server = try MockServer(tls: .on)
    server.route(.get, "/", answers: .text("whole").unframed().dripping(every: .milliseconds(1)))
    let agent = Self.agent(server)
    for _ in 0..<5 { #expect(try await agent.send(.get("", as: String.self)) == "whole") }
    #expect(server.connectionCount == 5)
  }

  @Test(
    "A certificate error is reported, and no request is sent",
    arguments: [
      (ServerTLS.Certificate.expired, "expired"), (.notYetValid, "not yet valid"),
      (.forHost("other.example"), ""), (.ofUnknownAuthority, "unable to get local issuer"),
    ])
  func certificates(_ certificate: ServerTLS.Certificate, _ clause: String) async throws {
    let server = try MockServer(tls: .on(certificate: certificate))
    let error = await #expect(throws: RequestError.self) { try await Self.agent(server).send(.get("")) }
    #expect(error?.kind == .secureConnectionFailed)
    #expect(error?.reason.contains(clause) == true || clause.isEmpty, "\(String(describing: error))")
    #expect(server.requests.isEmpty)
  }

  @Test("A client that does not trust the authority ends the handshake, and the server knows the reason")
  func untrusted() async throws {
    let server = try MockServer(tls: .on)
    let other = try MockServer(tls: .on)
    let stranger = RequestAgent(
      baseURL: server.baseURL, transport: CurlTransport(certificateAuthorities: other.authority))
    let error = await #expect(throws: RequestError.self) { try await stranger.send(.get("")) }
    #expect(error?.kind == .secureConnectionFailed)
    await server.waitForClosedConnections()
    #expect(server.failedHandshakes.count == 1)
    #expect(server.failedHandshakes.first?.contains("unknown ca") == true, "\(server.failedHandshakes)")
  }

  @Test("A certificate for a host is valid for that host")
  func oneHost() async throws {
    let server = try MockServer(tls: .on(certificate: .forHost("localhost")))
    server.route(.get, "/", answers: .text("ok"))
    let agent = RequestAgent(
      baseURL: "https://localhost:\(server.port)",
      transport: CurlTransport(certificateAuthorities: server.authority))
    #expect(try await agent.send(.get("", as: String.self)) == "ok")
    for host in ["", "a,IP:127.0.0.1", "a b", "ä.example"] {
      #expect(
        throws: TransportError(.invalidRequest, "ServerTLS has an invalid host: \(host.debugDescription)")
      ) {
        _ = try MockServer(tls: .on(certificate: .forHost(host)))
      }
    }
  }

  @Test("The server's key can be pinned, and another server has another key")
  func pins() async throws {
    let (server, other) = (try MockServer(tls: .on), try MockServer(tls: .on))
    server.route(.get, "/", answers: .text("ok"))
    func agent(_ pin: TLSSettings.PublicKeyPin?) throws -> RequestAgent {
      var settings = ConnectionSettings()
      settings.tls.certificateAuthorities = server.authority
      settings.tls.pins = ["127.0.0.1": [try #require(pin)]]
      return RequestAgent(baseURL: server.baseURL, transport: try CurlTransport(settings))
    }
    #expect(try await agent(server.publicKeyPin).send(.get("", as: String.self)) == "ok")
    let error = await #expect(throws: RequestError.self) {
      try await agent(other.publicKeyPin).send(.get(""))
    }
    #expect(error?.kind == .secureConnectionFailed && server.requestCount == 1)
  }

  @Test("Only versions in the range are negotiated", arguments: TLSSettings.Version.allCases)
  func versions(_ version: TLSSettings.Version) async throws {
    let server = try MockServer(tls: .on(versions: version...version))
    server.route(.get, "/", answers: .text("ok"))
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = server.authority
    let agent = RequestAgent(baseURL: server.baseURL, transport: try CurlTransport(settings))
    try await agent.send(.get(""))
    #expect(server.requests.map(\.tls?.version) == [version])
    settings.tls.minimumVersion = .tls13
    let strict = RequestAgent(baseURL: server.baseURL, transport: try CurlTransport(settings))
    if version == .tls13 { return try await strict.send(.get("")) }
    let error = await #expect(throws: RequestError.self) { try await strict.send(.get("")) }
    #expect(error?.kind == .secureConnectionFailed && server.requestCount == 1)
  }

  @Test("Servers with the same authority are trusted together, and the last server deletes the files")
  func sharing() async throws {
    var file: URL?
    do {
      let first = try MockServer(tls: .on)
      let second = try MockServer(tls: ServerTLS.on.sharingAuthority(of: first))
      second.route(.get, "/", answers: .text("second"))
      first.route(.get, "/", answers: .status(302).header("Location", second.baseURL.absoluteString))
      #expect(try await Self.agent(first).send(.get("", as: String.self)) == "second")
      file = first.authority
      #expect(first.authority == second.authority)
      first.stop()
      second.stop()
    }
    let path = try #require(file?.path)
    // The server's thread releases the file a moment after the server has stopped.
    for _ in 0..<500 where FileManager.default.fileExists(atPath: path) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
#endif
