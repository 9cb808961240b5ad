#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: limits enforced by the agent", .timeLimit(.minutes(5)))
struct CurlAgentLimitsTests {
  @Test("The size limit ends an endless body on a real connection")
  func endless() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send(Data(count: 1 << 16)) {}
      connection.note("closed")
    }
    let agent = RequestAgent(baseURL: server.url())
    var limits = TransferLimits()
    limits.bodySize = 1_000_000
    let request = OneOffRequest.get("x").with(\.limits, limits)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(request)
    }
    #expect(error.reason == "the body is longer than limits.bodySize, 1000000 bytes")
    await server.wait(for: "closed")
  }

  @Test(
    "A deadline ends the transfer and its connection at its time, and not earlier", arguments: [true, false])
  func deadline(_ hasHead: Bool) async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      if hasHead { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }
      connection.waitForClose()
      connection.note("closed")
    }
    let agent = RequestAgent(baseURL: server.url())
    let start = ContinuousClock.now
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("x").with(\.deadline, .milliseconds(300)))
    }
    #expect(start.duration(to: .now) >= .milliseconds(300))
    #expect(error.kind == .deadlineExceeded)
    #expect(error.reason == "the dispatch took longer than its deadline, 0.3 s")
    await server.wait(for: "closed")
    #expect(agent.liveCount == 0)
  }

  @Test("The attempt's timeout ends the attempt and lets the next attempt run")
  func attempt() async throws {
    let server = RawServer { connection in
      _ = connection.readRequest()
      guard connection.number > 1 else { return connection.waitForClose() }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let agent = RequestAgent(baseURL: server.url())
    var limits = TransferLimits()
    limits.attemptTimeout = .seconds(1)
    let request = OneOffRequest.get("x", as: String.self).with(\.limits, limits)
      .with(\.retryPolicy, .upTo(60, backoff: .constant()))
    #expect(try await agent.send(request) == "ok")
  }
}
#endif
