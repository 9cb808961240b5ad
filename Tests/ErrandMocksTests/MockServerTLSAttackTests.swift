#if os(Linux)
import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, over TLS, under attack", .timeLimit(.minutes(5)))
struct MockServerTLSAttackTests {
  /// The start of a TLS record with a ClientHello of 512 bytes.
  ///
  /// The remaining bytes never follow.
  private static let halfHello: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3]

  let server: MockServer
  let agent: RequestAgent

  init() throws {
    server = try MockServer(tls: .on)
    server.route(nil, "/echo") { .data($0.body) }
    agent = RequestAgent(
      baseURL: server.baseURL, transport: CurlTransport(certificateAuthorities: server.authority))
  }

  private func expectServing() async throws {
    let body = Data("still here".utf8)
    #expect(try await agent.send(.post("echo", body: .data(body), as: Data.self)) == body)
  }

  @Test("50 concurrent requests each get their own response")
  func many() async throws {
    let answers = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      for number in 1...50 {
        group.addTask {
          let body = Data(repeating: UInt8(number), count: number * 1000)
          return (number, try await agent.send(.post("echo", body: .data(body), as: Data.self)))
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(answers.count == 50)
    #expect(answers.allSatisfy { $1 == Data(repeating: UInt8($0), count: $0 * 1000) })
    #expect(server.requestCount == 50 && server.failedHandshakes.isEmpty)
  }

  @Test("Megabytes arrive in both directions")
  func large() async throws {
    let body = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
    #expect(try await agent.send(.post("echo", body: .data(body), as: Data.self)) == body)
  }

  @Test("A client without TLS gets no response, and other clients are served")
  func garbage() async throws {
    let plain = try RawClient.answer(port: server.port, to: "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(!plain.contains("HTTP"), "\(plain.debugDescription)")
    #expect(server.failedHandshakes == ["http request"])
    var random = SystemRandomNumberGenerator()
    for count in [1, 5, 100, 70_000] {
      let client = try RawClient(port: server.port)
      // The first byte starts no TLS record, so the server waits for no further bytes.
      client.write([0xFF] + (1..<max(count, 6)).map { _ in UInt8.random(in: 0...255, using: &random) })
      _ = client.readToEnd()
    }
    do { try RawClient(port: server.port).write(Self.halfHello) }
    await server.waitForClosedConnections(6)
    #expect(server.failedHandshakes.count == 6)
    #expect(server.failedHandshakes.last == "the connection ended before the handshake was over")
    try await expectServing()
    #expect(server.requestCount == 1)
  }

  @Test("A stalled handshake, or a handshake byte by byte, blocks no other client")
  func slow() async throws {
    let idle = try RawClient(port: server.port)
    let stuck = try RawClient(port: server.port)
    stuck.write(Self.halfHello)
    try await expectServing()
    for byte in Self.halfHello { idle.write([byte]) }
    try await expectServing()
    #expect(server.closedConnectionCount == 0)
    server.stop()
    #expect(stuck.readToEnd() == "")
  }

  @Test("A broken record only ends its own connection")
  func brokenRecord() async throws {
    // Only a proxy on the byte level could break a TLS record. Instead, a response that is not HTTP breaks
    // the content of a record.
    server.route(.get, "/noise", answers: .raw(.send(Data(repeating: 0xFF, count: 100_000)), .close))
    let error = await #expect(throws: RequestError.self) { try await agent.send(.get("noise")) }
    #expect(error?.kind == .invalidResponse, "\(String(describing: error))")
    try await expectServing()
  }

  @Test("A server that stops during responses leaves no client waiting")
  func stopping() async throws {
    server.route(.get, "/never", answers: .fault(.stalled))
    let handle = agent.start(.get("never"))
    await server.waitForRequests()
    server.stop()
    let error = await #expect(throws: RequestError.self) { try await handle.value }
    #expect(error?.kind == .connectionLost, "\(String(describing: error))")
  }
}
#endif
