import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockServer, reading slowly", .timeLimit(.minutes(5)))
struct ReadingPaceTests {
  @Test("A body that is read slowly arrives completely, after the expected time")
  func whole() async throws {
    let server = try MockServer(readingPace: .bytes(1000, every: .milliseconds(10)))
    server.route(.post, "/echo") { .data($0.body) }
    let body = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0) })
    let start = ContinuousClock.now
    let agent = RequestAgent(baseURL: server.baseURL)
    #expect(try await agent.send(.post("echo", body: .data(body), as: Data.self)) == body)
    #expect(ContinuousClock.now - start >= .milliseconds(200))
  }

  @Test("An upload to a server that does not read times out, and the number of sent bytes is known")
  func timeout() async throws {
    let server = try MockServer(readingPace: .bytes(100, every: .seconds(3600)))
    let agent = RequestAgent(baseURL: server.baseURL)
    let body = Data(count: 40_000_000)
    let handle = agent.start(
      OneOffRequest<Void>.post("a", body: .data(body)).with(\.timeout, .milliseconds(500)))
    var sent: Int64 = 0
    for await progress in handle.progress where progress.phase == .sending {
      sent = max(sent, progress.completed)
    }
    let error = await #expect(throws: RequestError.self) { try await handle.value }
    #expect(error?.kind == .timedOut && server.requests.isEmpty)
    #expect(sent > 0 && sent < 40_000_000, "\(sent)")
  }

  @Test("Slow readers do not block other connections, and each connection has its own pace")
  func apart() async throws {
    let server = try MockServer(readingPace: .bytes(40, every: .seconds(3600)))
    server.route(.get, "/a", answers: .text("a"))
    let slow = try RawClient(port: server.port)
    slow.write(
      "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n\(String(repeating: "b", count: 1000))")
    #expect(try RawClient.answer(port: server.port, to: "GET /a HTTP/1.0\r\n\r\n").hasSuffix("\r\n\r\na"))
    #expect(server.requests.map(\.target) == ["/a"])
  }

  @Test("Invalid numbers are clamped")
  func bounds() throws {
    #expect(ReadingPace.bytes(-1, every: .seconds(-1)) == .bytes(1, every: .zero))
    #expect(ReadingPace.bytes(5, every: .seconds(1 << 60)) == .bytes(5, every: .seconds(3600)))
    let server = try MockServer(readingPace: .bytes(.max, every: .zero))
    #expect(try RawClient.get("/", port: server.port).hasPrefix("HTTP/1.1 404"))
  }
}
