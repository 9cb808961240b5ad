#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Stale connections through the agent", .timeLimit(.minutes(5)))
struct StaleConnectionTests {
  struct Ask: Request {
    typealias Response = String
    let path: String
    var method = HTTPMethod.get
  }

  let server: MockServer
  let agent: RequestAgent

  init() throws {
    server = try MockServer()
    agent = RequestAgent(baseURL: server.baseURL, transport: CurlTransport())
    server.route(nil, "/*", answers: .text("fine"))
  }

  private var seen: [String] {
    server.requests.map { "\($0.method) \($0.target) on \($0.connection ?? 0)" }
  }

  @Test("A POST read before its connection closed reaches the server once and fails as lost")
  func postIsNotRepeated() async throws {
    server.route(.get, "/first", answers: .text("first").then(.awaitNextRequest, .close))
    _ = try await agent.send(Ask(path: "first"))
    let error = await #expect(throws: RequestError.self) {
      try await agent.send(Ask(path: "second", method: .post))
    }
    #expect(error?.kind == .connectionLost)
    #expect(
      error?.reason
        == "the server closed a reused connection without an answer; the server may have received the POST, so the"
        + " POST was not sent again")
    #expect(error?.response == nil)
    #expect(seen == ["GET /first on 1", "POST /second on 1"])
  }

  @Test("A GET read before its connection closed is sent again once, and the attempt says so")
  func getIsRepeated() async throws {
    server.route(.get, "/first", answers: .text("first").then(.awaitNextRequest, .close))
    _ = try await agent.send(Ask(path: "first"))
    let received = try await agent.response(for: Ask(path: "second"))
    #expect(received.value == "fine")
    #expect(received.report.attempts.map(\.metrics?.resends) == [1])
    #expect(received.report.attempts.map(\.metrics?.isConnectionReused) == [false])
    #expect(seen == ["GET /first on 1", "GET /second on 1", "GET /second on 2"])
  }

  @Test("A GET is not sent a third time, for any number of closed connections")
  func getIsRepeatedOnce() async throws {
    server.route(
      .get, "/first", answers: .text("first").delayed(by: .milliseconds(50)).then(.awaitNextRequest, .reset))
    server.route(.get, "/second", answers: .raw(.close))
    async let one = agent.send(Ask(path: "first"))
    async let two = agent.send(Ask(path: "first"))
    _ = try await (one, two)
    #expect(server.connectionCount == 2)
    let error = await #expect(throws: RequestError.self) { try await agent.send(Ask(path: "second")) }
    #expect(error?.reason == "127.0.0.1:\(server.port) closed the connection without an answer (code 52)")
    #expect(server.requestCount(.get, "/second") == 2)
    #expect(server.connectionCount == 3)
  }

  @Test("A POST after its idle connection was closed is sent on a new connection", arguments: [true, false])
  func closedWhileIdle(byReset: Bool) async throws {
    server.route(.get, "/first", answers: .text("first").then(byReset ? .reset : .close))
    _ = try await agent.send(Ask(path: "first"))
    await server.waitForClosedConnections()
    let received = try await agent.response(for: Ask(path: "second", method: .post))
    #expect(received.value == "fine")
    #expect(received.report.attempts.map(\.metrics?.resends) == [0])
    #expect(seen == ["GET /first on 1", "POST /second on 2"])
  }

  @Test("An unrequested response is not read as the next response", arguments: ["close", "stall"])
  func unaskedResponse(then ending: String) async throws {
    let evil = AnswerStep.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
    // The client reads the first response alone. The surplus precedes the response to /sent.
    server.route(
      .get, "/first",
      answers: .text("first").then(.wait(.milliseconds(20)), evil, ending == "close" ? .close : .stall))
    server.route(.get, "/sent", answers: .text("sent").delayed(by: .milliseconds(60)))
    _ = try await agent.send(Ask(path: "first"))
    let other = RequestAgent(baseURL: server.baseURL, transport: CurlTransport())
    _ = try await other.send(Ask(path: "sent"))
    for method in [HTTPMethod.get, .post] {
      let received = try await agent.response(for: Ask(path: "second", method: method))
      #expect(received.value == "fine")
      #expect(received.report.attempts.map(\.metrics?.resends) == [0])
    }
    #expect(
      seen == ["GET /first on 1", "GET /sent on 2", "GET /second on 3", "POST /second on 3"])
  }
}
#endif
