#if os(Linux)
import CCurl
import Foundation
import Testing

@testable import Errand

@Suite(
  "Curl: limits and probes of kept connections", .enabled(if: CurlLibrary.asksBeforeSending),
  .timeLimit(.minutes(5)))
struct CurlPoolTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  private static func transport(
    _ change: (inout ConnectionSettings.Pool) -> Void
  ) throws -> CurlTransport {
    var settings = ConnectionSettings()
    change(&settings.pool)
    return try CurlTransport(settings, eventLoops: 1)
  }

  private static func send(_ transport: CurlTransport, _ server: RawServer) async throws {
    let text = try await transport.whole(server.url()).text
    #expect(text == "ok")
  }

  private static func waitUntilClosed(_ server: RawServer) async throws {
    while LoopbackSocket.connectionCount(to: server.port) > 0 { try await Task.sleep(for: .milliseconds(20)) }
  }

  @Test("A connection is closed after its last allowed request", arguments: [1, 2, 5])
  func uses(_ limit: Int) async throws {
    let server = RawServer.answering(Self.ok)
    let transport = try Self.transport { $0.maximumUses = limit }
    for _ in 0..<10 { #expect(try await transport.whole(server.url(), .post, body: .text("a")).text == "ok") }
    #expect(server.connectionCount == 10 / limit)
    try await Self.waitUntilClosed(server)
  }

  @Test("The uses of concurrent connections are counted separately")
  func concurrentUses() async throws {
    let numbers = Locked<[Int]>([])
    let server = RawServer { connection in
      while connection.readRequest() != nil {
        numbers.withLock { $0.append(connection.number) }
        connection.send(Self.ok)
      }
    }
    let transport = try Self.transport { $0.maximumUses = 3 }
    for _ in 0..<10 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { try await Self.send(transport, server) } }
        try await group.waitForAll()
      }
    }
    let uses = Dictionary(grouping: numbers.withLock { $0 }, by: \.self).mapValues(\.count)
    #expect(uses.values.reduce(0, +) == 100 && uses.values.allSatisfy { $0 <= 3 }, "\(uses)")
  }

  @Test("At most the allowed number of idle connections is kept, and none with 0")
  func idle() async throws {
    let servers = (0..<3).map { _ in RawServer.answering(Self.ok) }
    for (limit, counts) in [(0, [2, 2, 2]), (1, [2, 2, 2]), (3, [1, 1, 1])] {
      let transport = try Self.transport { $0.maximumIdle = limit }
      let before = servers.map(\.connectionCount)
      for _ in 0..<2 {
        for server in servers { #expect(try await transport.whole(server.url()).text == "ok") }
      }
      #expect(zip(servers, before).map { $0.connectionCount - $1 } == counts, "limit \(limit)")
    }
  }

  @Test("1,000 connections are closed after the allowed age, and no request uses an older connection")
  func age() async throws {
    let (count, arrived, areAllThere) = (1000, Locked(0), DispatchSemaphore(value: 0))
    let server = RawServer { connection in
      while connection.readRequest() != nil {
        let number = arrived.withLock { arrived in
          arrived += 1
          return arrived
        }
        // The first requests are answered together, so each needs its own connection.
        if number == count {
          for _ in 1..<count { areAllThere.signal() }
        } else if number < count {
          areAllThere.wait()
        }
        connection.send(Self.ok)
      }
    }
    let transport = try Self.transport { $0.maximumAge = .seconds(1) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count { group.addTask { try await Self.send(transport, server) } }
      try await group.waitForAll()
    }
    #expect(server.connectionCount == count)
    try await Self.waitUntilClosed(server)
    #expect(try await transport.whole(server.url()).text == "ok")
    #expect(server.connectionCount == count + 1)
  }

  @Test("A connection that is never idle for long is replaced after the allowed age")
  func busyAge() async throws {
    let server = RawServer.answering(Self.ok)
    let transport = try Self.transport { $0.maximumAge = .seconds(1) }
    while server.connectionCount < 2 {
      #expect(try await transport.whole(server.url()).text == "ok")
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  @Test("TCP probes are set on the socket", arguments: [nil, Duration.milliseconds(1500)])
  func keepAlive(_ silence: Duration?) async throws {
    let server = RawServer.answering(Self.ok)
    let transport = try Self.transport { $0.keepAlive = silence }
    _ = try await transport.whole(server.url())
    let socket = try #require(LoopbackSocket.sockets(to: server.port).first)
    func option(_ level: Int32, _ name: Int32) -> Int32 {
      var (value, size): (Int32, socklen_t) = (-1, socklen_t(MemoryLayout<Int32>.size))
      getsockopt(socket, level, name, &value, &size)
      return value
    }
    let isSet = option(SOL_SOCKET, SO_KEEPALIVE) != 0
    #expect(isSet == (silence != nil))
    guard isSet else { return }
    let protocolNumber = Int32(IPPROTO_TCP)
    #expect(option(protocolNumber, TCP_KEEPIDLE) == 2 && option(protocolNumber, TCP_KEEPINTVL) == 2)
  }
}
#endif
