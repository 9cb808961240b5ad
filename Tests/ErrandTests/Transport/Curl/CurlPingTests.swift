#if os(Linux)
import CCurl
import Foundation
import Testing

@testable import Errand

@Suite("Curl: PING frames", .timeLimit(.minutes(5)))
struct CurlPingTests {
  static let areSent = CurlLibrary.system.info.map { CurlPings.areSent(by: $0.pointee) } ?? false

  private static func transport(_ interval: Duration?) throws -> CurlTransport {
    var settings = ConnectionSettings()
    settings.proxies = .none
    settings.tls.certificateAuthorities = TLSIdentity.certificate
    settings.pool.pingInterval = interval
    return try CurlTransport(settings, eventLoops: 1)
  }

  /// Answers each path but `/held`.
  private static func server() throws -> RawServer {
    try .secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2 { stream in
        if stream == 1 { connection.send(.answer(to: stream)) } else { connection.note("request") }
      } pinged: {
        connection.note("ping")
      } ended: { _ in
      }
    }
  }

  @Test("A libcurl that sends no PING frames is refused", .enabled(if: !CurlPingTests.areSent))
  func refused() throws {
    let error = #expect(throws: TransportError.self) { try Self.transport(.seconds(1)) }
    #expect(error?.kind == .unsupported)
    #expect(error?.message.hasSuffix("use libcurl 8.10 or newer, built with HTTP/2") == true)
  }

  @Test(
    "PING frames are sent over idle and used connections, which stay usable",
    .enabled(if: CurlPingTests.areSent && OpenSSL.system != nil))
  func sent() async throws {
    let server = try Self.server()
    let transport = try Self.transport(.milliseconds(50))
    _ = try await transport.whole(server.url())
    for _ in 0..<3 { await server.wait(for: "ping") }
    let signal = CancellationSignal()
    async let held = transport.failure(server.url(), cancellation: signal)
    await server.wait(for: "request")
    for _ in 0..<3 { await server.wait(for: "ping") }
    signal.cancel()
    #expect(await held == .cancelled)
    #expect(server.connectionCount == 1)
    #expect(await transport.connections.connections.count == 1)
  }

  @Test("Without an interval, no frame is planned; without connections, the plan ends")
  func plan() {
    var none = CurlPings(nil)
    none.didOpen(at: 5)
    #expect(none.deadline == nil && !none.isDue(at: .max))
    var pings = CurlPings(.milliseconds(2))
    #expect(pings.deadline == nil)
    pings.didOpen(at: 5)
    pings.didOpen(at: 9)
    #expect(pings.deadline == 2_000_005 && !pings.isDue(at: 2_000_004) && pings.isDue(at: 2_000_005))
    pings.plan(hasConnections: true, at: 2_000_010)
    #expect(pings.deadline == 4_000_010)
    pings.plan(hasConnections: false, at: 4_000_010)
    #expect(pings.deadline == nil)
    var shortest = CurlPings(.zero)
    shortest.didOpen(at: 0)
    #expect(shortest.deadline == 1_000_000)
  }
}
#endif
