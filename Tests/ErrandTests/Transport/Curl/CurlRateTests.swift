#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: limits of speed, and large bodies that wait for the server", .timeLimit(.minutes(5)))
struct CurlRateTests {
  private let transport = CurlTransport(eventLoops: 1)

  private func send(
    _ request: HTTPRequest, _ change: (inout TransferLimits) -> Void
  ) async throws -> (text: Data, metrics: TransportSummary.Metrics?) {
    var limits = TransferLimits()
    change(&limits)
    let response = try await transport.send(
      TransportRequest(request, timeout: .seconds(5), limits: limits))
    let body = try await response.body.all()
    return (body, response.body.summary.metrics)
  }

  /// The sizes and the limits, in bytes and bytes a second, and the seconds that a transfer takes at least.
  static let rates = [(450_000, 150_000, 1), (9_000, 3_000, 1), (20_000, 5_000, 2)]

  /// libcurl 7.88 receives up to 100 buffers before the limit has an effect.
  @Test(
    "A response is received at most at the limit, and the connection stays usable",
    .enabled(if: CurlLibrary.speaksHTTP2), arguments: rates)
  func receiving(_ row: (size: Int, rate: Int, seconds: Int)) async throws {
    let bytes = patternedBytes(row.size)
    let server = RawServer.answering(
      Data("HTTP/1.1 200 OK\r\nContent-Length: \(row.size)\r\n\r\n".utf8) + bytes)
    let start = ContinuousClock.now
    let request = HTTPRequest(url: server.url())
    #expect(try await send(request) { $0.maximumReceiveRate = row.rate }.text == bytes)
    #expect(start.duration(to: .now) > .seconds(row.seconds))
    let second = try await send(request) { _ in }
    #expect(second.text == bytes && second.metrics?.isConnectionReused == true)
    #expect(server.connectionCount == 1)
  }

  @Test(
    "Over https with only HTTP/1.1, a small response is received at most at the limit too",
    .enabled(if: CurlLibrary.speaksHTTP2 && OpenSSL.system != nil))
  func receivingSecurely() async throws {
    let bytes = patternedBytes(9000)
    let server = try RawServer.secure { connection in
      while connection.readRequest() != nil {
        connection.send(Data("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n".utf8) + bytes)
      }
    }
    var settings = ConnectionSettings()
    settings.httpVersion = .http1
    settings.tls.certificateAuthorities = TLSIdentity.certificate
    let transport = try CurlTransport(settings)
    var request = TransportRequest(HTTPRequest(url: server.url()), timeout: .seconds(5))
    request.limits.maximumReceiveRate = 3000
    let start = ContinuousClock.now
    let body = try await transport.send(request).body
    #expect(try await body.all() == bytes)
    #expect(start.duration(to: .now) > .seconds(1))
    #expect(body.summary.metrics?.tls != nil)
    withExtendedLifetime(transport) {}
  }

  @Test("A body is sent at most at the limit, and the connection stays usable")
  func sending() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let bytes = patternedBytes(600_000)
    let start = ContinuousClock.now
    let request = HTTPRequest(url: server.url(), method: .put, body: .data(bytes))
    #expect(try await send(request) { $0.maximumSendRate = 200_000 }.text == Data("ok".utf8))
    #expect(start.duration(to: .now) > .seconds(1))
    #expect(server.requests.map(\.body) == [bytes])
    #expect(try await send(request) { _ in }.metrics?.isConnectionReused == true)
  }

  @Test("A limited transfer is cancelled at once, and its server sees the end")
  func cancelled() async throws {
    let server = RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(
        "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "a", count: 500_000))
      connection.waitForClose()
      connection.note("closed")
    }
    let signal = CancellationSignal()
    var request = TransportRequest(
      HTTPRequest(url: server.url()), timeout: .seconds(60), cancellation: signal)
    request.limits.maximumReceiveRate = 1000
    let response = try await transport.send(request)
    signal.cancel()
    await #expect(throws: TransportError.cancelled) { _ = try await response.body.all() }
    await server.wait(for: "closed")
  }

  /// A server that reads heads, and answers before the body.
  private static func deciding(_ status: String) -> RawServer {
    RawServer { connection in
      while let head = connection.readHead() {
        let expects = head.contains("Expect: 100-continue")
        connection.note(expects ? "expects" : "sends")
        let length = head.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        if expects, status != "200 OK" {
          connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
          let rest = connection.readLine() ?? "no body"
          connection.note(rest)
          return
        }
        if expects { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        guard let body = connection.read(length) else { return }
        connection.note("\(body.count)")
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
  }

  @Test("Only a large body waits for the server's status 100")
  func expectation() async throws {
    let server = Self.deciding("200 OK")
    var notes = server.notes.makeAsyncIterator()
    for (size, words) in [(999, ["sends", "999"]), (1000, ["expects", "1000"])] {
      let request = HTTPRequest(url: server.url(), method: .put, body: .data(patternedBytes(size)))
      _ = try await send(request) { $0.expectContinueSize = 1000 }
      for word in words { #expect(await notes.next() == word) }
    }
    #expect(server.connectionCount == 1)
  }

  @Test("A server that refuses the head gets no body", arguments: ["413 Too Large", "401 No", "417 No"])
  func refusedHead(_ status: String) async throws {
    let server = Self.deciding(status)
    var notes = server.notes.makeAsyncIterator()
    let request = HTTPRequest(url: server.url(), method: .post, body: .data(patternedBytes(2_000_000)))
    var sent = TransportRequest(request, timeout: .seconds(60))
    sent.limits.expectContinueSize = 1_000_000
    let response = try await transport.send(sent)
    #expect("\(response.head.status.code)" == status.prefix(3))
    _ = try await response.body.all()
    #expect(await notes.next() == "expects")
    #expect(await notes.next() == "no body")
  }
}
#endif
