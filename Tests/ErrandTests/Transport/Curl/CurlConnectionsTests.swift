#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite(
  "Curl: the list of connections", .enabled(if: CurlLibrary.asksBeforeSending), .timeLimit(.minutes(5)))
struct CurlConnectionsTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  private static func transport(_ change: (inout ConnectionSettings) -> Void = { _ in }) throws
    -> CurlTransport
  {
    var settings = ConnectionSettings()
    settings.proxies = .none
    change(&settings)
    return try CurlTransport(settings)
  }

  private static func origin(_ server: RawServer) -> String {
    String(server.url().absoluteString.dropLast())
  }

  private static func send(_ transport: CurlTransport, _ server: RawServer) async throws {
    let text = try await transport.whole(server.url()).text
    #expect(text == "ok")
  }

  /// Answers each request after a signal.
  private static func held(by gate: DispatchSemaphore) -> RawServer {
    RawServer { connection in
      while connection.readRequest() != nil {
        connection.note("arrived")
        gate.wait()
        connection.send(ok)
      }
    }
  }

  @Test("Connections are in use during a request, then idle, and gone after a reset")
  func states() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = Self.held(by: gate)
    let transport = try Self.transport()
    #expect(await transport.connections == .init())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { try await Self.send(transport, server) } }
      for _ in 0..<3 { await server.wait(for: "arrived") }
      let busy = await transport.connections
      #expect(busy.connections.map(\.requests) == [1, 1, 1])
      #expect(busy.connections.map(\.idle) == [nil, nil, nil])
      #expect(busy.connections.allSatisfy { $0.age > .zero && $0.proxy == nil })
      #expect(Set(busy.connections.map(\.origin)) == [Self.origin(server)])
      #expect(Set(busy.connections.map(\.remoteAddress)) == ["127.0.0.1:\(server.port)"])
      #expect(Set(busy.connections.map(\.httpVersion)) == ["HTTP/1.1"])
      #expect(busy.waiting == [:] && busy.idleCount == 0)
      for _ in 0..<3 { gate.signal() }
      try await group.waitForAll()
    }
    let idle = await transport.connections
    #expect(idle.idleCount == 3 && idle.connections.map(\.requests) == [0, 0, 0])
    #expect(idle.connections.allSatisfy { ($0.idle ?? .seconds(-1)) >= .zero && $0.age >= $0.idle ?? .zero })
    transport.resetConnections()
    #expect(await transport.connections == .init())
  }

  @Test("An idle connection that is used again counts as in use, with its whole age")
  func reuse() async throws {
    // A semaphore must not be released with a lower value than its first.
    let gate = DispatchSemaphore(value: 0)
    gate.signal()
    let server = Self.held(by: gate)
    let transport = try Self.transport()
    _ = try await transport.whole(server.url())
    await server.wait(for: "arrived")
    let first = try #require(await transport.connections.connections.first)
    async let second = transport.whole(server.url())
    await server.wait(for: "arrived")
    let again = await transport.connections.connections
    #expect(again.map(\.requests) == [1] && again.map(\.idle) == [nil])
    #expect(again.first.map { $0.age > first.age } == true)
    gate.signal()
    _ = try await second
  }

  @Test(
    "A request that waits for a TLS handshake is waiting, and its connection is opening",
    .enabled(if: OpenSSL.system != nil))
  func waiting() async throws {
    let server = RawServer { connection in
      connection.note("accepted")
      connection.waitForClose()
    }
    let transport = try Self.transport { $0.tls.certificateAuthorities = TLSIdentity.certificate }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/a?token=s3cret"))
    let cancellation = CancellationSignal()
    async let failure = transport.failure(url, cancellation: cancellation)
    await server.wait(for: "accepted")
    let snapshot = await transport.connections
    #expect(snapshot.waiting == ["https://127.0.0.1:\(server.port)": 1] && snapshot.waitingCount == 1)
    #expect(snapshot.connections.map(\.requests) == [0] && snapshot.connections.map(\.idle) == [nil])
    #expect(snapshot.connections.first?.httpVersion == nil)
    #expect(!"\(snapshot)".contains("s3cret"))
    cancellation.cancel()
    #expect(await failure == .cancelled)
    #expect(await transport.connections.waiting == [:])
  }

  @Test(
    "Three requests share a connection over HTTP/2",
    .enabled(if: OpenSSL.system != nil && CurlTransport().capabilities.httpVersions.contains("HTTP/2")))
  func shared() async throws {
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      var held: [UInt32] = []
      connection.serveHTTP2 { stream in
        held.append(stream)
        guard held.count == 4 else { return connection.note("held") }
        for stream in held { connection.send(.answer(to: stream)) }
      } ended: { _ in
      }
    }
    let transport = try Self.transport { $0.tls.certificateAuthorities = TLSIdentity.certificate }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { _ = try await transport.whole(server.url()) } }
      for _ in 0..<3 { await server.wait(for: "held") }
      let shared = await transport.connections.connections
      #expect(shared.map(\.requests) == [3] && shared.map(\.httpVersion) == ["HTTP/2"])
      group.addTask { _ = try await transport.whole(server.url()) }
      try await group.waitForAll()
    }
    let idle = await transport.connections.connections
    #expect(idle.map(\.requests) == [0] && idle.map { $0.idle != nil } == [true])
  }

  @Test("A Unix socket is listed with its path")
  func unixSocket() async throws {
    let folder = TemporaryDirectory()
    let path = folder.url.appendingPathComponent("s").path
    let server = RawServer(on: LoopbackSocket.listening(at: path)) { connection in
      while connection.readRequest() != nil {
        connection.note("arrived")
        connection.waitForClose()
      }
    }
    let transport = try Self.transport { $0.routes = ["a.internal": .unixSocket(path)] }
    let url = try #require(URL(string: "http://a.internal/"))
    let cancellation = CancellationSignal()
    async let failure = transport.failure(url, cancellation: cancellation)
    await server.wait(for: "arrived")
    let connections = await transport.connections.connections
    #expect(connections.map(\.remoteAddress) == ["unix:\(path)"] && connections.map(\.requests) == [1])
    #expect(connections.map(\.origin) == ["http://a.internal"])
    cancellation.cancel()
    #expect(await failure == .cancelled)
  }

  @Test("1,000 requests and 200 lists at once: every list is complete, and no connection has two requests")
  func storm() async throws {
    let server = RawServer.answering(Self.ok)
    let transport = try Self.transport()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask { try await Self.send(transport, server) }
        guard number % 5 == 0 else { continue }
        group.addTask {
          let snapshot = await transport.connections
          #expect(
            snapshot.connections.allSatisfy { $0.requests <= 1 && ($0.idle == nil || $0.requests == 0) })
        }
        if number % 100 == 95 { group.addTask { transport.resetConnections() } }
      }
      try await group.waitForAll()
    }
    #expect(await transport.connections.waiting == [:])
  }

  @Test("A loop without a thread, and a closed loop, have no connections")
  func closed() async throws {
    let loop = CurlLoop()
    #expect(await loop.snapshot() == .init())
    let server = RawServer.answering(Self.ok)
    let transport = CurlTransport(loop: loop)
    _ = try await transport.whole(server.url())
    #expect(await loop.snapshot().connections.count == 1)
    loop.close()
    #expect(await loop.snapshot() == .init())
  }
}
#endif
