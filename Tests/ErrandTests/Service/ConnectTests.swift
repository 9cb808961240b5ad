import ErrandMocks
import ErrandService
import ErrandURLSession
import Foundation
import Testing

@testable import Errand

@Suite("Connections opened ahead", .timeLimit(.minutes(5)))
struct ConnectTests {
  @Test("The requests have the chosen method, and no credentials, cookies, retries or redirects")
  func requests() async throws {
    var configuration = AgentConfiguration()
    configuration.authenticator = BearerAuthenticator(token: "s3cret")
    configuration.retryPolicy = .upTo(3)
    configuration.cookies = CookieStore()
    configuration.cache = MemoryCache()
    let transport = FunctionTransport { _, number in
      number == 1
        ? HTTPResponse(status: 302, headers: ["Location": "/b", "Set-Cookie": "a=1"])
        : HTTPResponse(status: 503)
    }
    let agent = RequestAgent(
      baseURL: "https://api.example.com/v1", transport: transport, configuration: configuration)
    try await agent.connect()
    try await agent.connect(to: "health", count: 2, method: .options)
    try await agent.connect(count: 0)
    try await agent.connect(count: -1)
    let sent = transport.requests.map { "\($0.method) \($0.url)" }
    #expect(
      sent == [
        "HEAD https://api.example.com/v1", "OPTIONS https://api.example.com/v1/health",
        "OPTIONS https://api.example.com/v1/health",
      ])
    #expect(transport.requests.allSatisfy { !$0.headers.contains("Authorization") })
    #expect(transport.requests.allSatisfy { !$0.headers.contains("Cookie") })
  }

  @Test("An error ends the call, with the kind of the error")
  func failure() async throws {
    let transport = FunctionTransport { _, _ in throw TransportError(.connectionFailed, "refused") }
    let agent = RequestAgent(baseURL: "https://api.example.com", transport: transport)
    let error = await #expect(throws: RequestError.self) { try await agent.connect(count: 3) }
    #expect(error?.kind == .connectionFailed)
    // The first failure cancels the other requests.
    let (cancelled, arrived) = (Locked(0), Locked(0))
    let hanging = FunctionTransport { _, number in
      arrived.withLock { $0 += 1 }
      if number == 1 {
        await until { arrived.withLock { $0 } == 4 }
        throw TransportError(.connectionFailed, "refused")
      }
      do { try await Task.sleep(for: .seconds(3_600)) } catch { cancelled.withLock { $0 += 1 } }
      throw TransportError.cancelled
    }
    let waiting = RequestAgent(baseURL: "https://api.example.com", transport: hanging)
    let first = await #expect(throws: RequestError.self) { try await waiting.connect(count: 4) }
    #expect(first?.kind == .connectionFailed && cancelled.withLock { $0 } == 3)
    let strict = RequestAgent(baseURL: "https://api.example.com", transport: transport)
    let stray = await #expect(throws: RequestError.self) { try await strict.connect(to: "http://a.example/") }
    #expect(stray?.kind == .destination)
  }

  @Test("URLSession is refused, because a session opens no connections")
  func session() async throws {
    let agent = RequestAgent(baseURL: "http://127.0.0.1:1", transport: URLSessionTransport())
    let error = await #expect(throws: RequestError.self) { try await agent.connect() }
    #expect(error?.kind == .unsupported)
    #expect(
      error?.reason == "URLSession opens no connections for RequestAgent.connect: use CurlTransport")
  }

  #if os(Linux)
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"

  /// Answers `HEAD` without the body.
  private static func server() -> RawServer {
    RawServer { connection in
      while let request = connection.readRequest() {
        connection.send(request.line.hasPrefix("HEAD") ? ok : ok + "ok")
      }
    }
  }

  @Test(
    "Connections are opened even beyond the limit of slots, and the next requests use them",
    arguments: [1, 4, 25])
  func connections(_ count: Int) async throws {
    let server = Self.server()
    let transport = CurlTransport()
    let agent = RequestAgent(baseURL: server.url(), transport: transport)
    try await agent.connect(count: count)
    #expect(server.connectionCount == count)
    #expect(await transport.connections.idleCount == count)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { try await agent.send(.get("a")) } }
      try await group.waitForAll()
    }
    #expect(server.connectionCount == count)
    try await agent.connect()
    #expect(server.connectionCount == count + 1)
  }

  @Test(
    "Over HTTP/2, requests share the connection that was opened ahead",
    .enabled(if: OpenSSL.system != nil && CurlTransport().capabilities.httpVersions.contains("HTTP/2")))
  func shared() async throws {
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2 {
        connection.send(.answer(to: $0))
      } ended: { _ in
      }
    }
    let agent = RequestAgent(
      baseURL: server.url(), transport: CurlTransport(certificateAuthorities: TLSIdentity.certificate))
    try await agent.connect(count: 2)
    #expect(server.connectionCount == 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { try await agent.send(.get("a")) } }
      try await group.waitForAll()
    }
    #expect(server.connectionCount == 2)
  }
  #endif
}
