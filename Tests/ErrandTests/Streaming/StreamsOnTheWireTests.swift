import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Streams over real sockets and with a mock", .timeLimit(.minutes(2)))
struct StreamsOnTheWireTests {
  /// The platform's transport with a loopback server, or a mock.
  enum Carrier: CaseIterable {
    case sockets, mock

    /// The server stops when the server object is released.
    func agent(
      _ answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
    ) throws -> (agent: RequestAgent, server: MockServer?) {
      switch self {
      case .mock:
        return (RequestAgent(baseURL: "http://example.com", transport: MockTransport(answer: answer)), nil)
      case .sockets:
        let server = try MockServer()
        server.route(nil, "/**", answer: answer)
        return (RequestAgent(baseURL: server.baseURL), server)
      }
    }
  }

  private static let open = MockAnswer.events([ServerSentEvent("a", id: "1")], staysOpen: true)

  @Test(
    "Twelve endless streams without a reader leave the origin to other requests",
    arguments: Carrier.allCases)
  func unread(_ carrier: Carrier) async throws {
    let (agent, server) = try carrier.agent { $0.path == "/stream" ? Self.open : .text("ok") }
    #expect(agent.maxRequestsPerOrigin == 10)
    var streams: [StreamedResponse] = []
    for _ in 0..<12 { streams.append(try await agent.stream(.get("stream"))) }
    #expect(agent.runningCount == 0 && agent.liveCount == 12)
    #expect(try await agent.send(.get("other", as: String.self)) == "ok")
    #expect(streams.allSatisfy { $0.report == nil } && agent.liveCount == 12)
    streams = []
    await until { agent.liveCount == 0 }
    server?.stop()
  }

  @Test("Twelve silent event loops leave the origin to other requests", arguments: Carrier.allCases)
  func loops(_ carrier: Carrier) async throws {
    let (agent, server) = try carrier.agent { $0.path == "/stream" ? Self.open : .text("ok") }
    var loops: [Streamed<ServerSentEvent>.Iterator] = []
    for _ in 0..<12 {
      var loop = agent.serverSentEvents(of: .get("stream")).makeAsyncIterator()
      #expect(try await loop.next() == ServerSentEvent("a", id: "1"))
      loops.append(loop)
    }
    #expect(agent.runningCount == 0 && agent.liveCount == 12)
    #expect(try await agent.send(.get("other", as: String.self)) == "ok")
    loops = []
    await until { agent.liveCount == 0 }
    server?.stop()
  }

  @Test("Twelve endless bodies without a reader leave the origin to other requests")
  func endless() async throws {
    let server = try MockServer()
    let endless = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    server.route(.get, "/stream", answers: .raw(.send(endless), .send(Data(count: 65_536), times: .max)))
    server.route(.get, "/other", answers: .text("ok"))
    let agent = RequestAgent(baseURL: server.baseURL)
    var streams: [StreamedResponse] = []
    for _ in 0..<12 { streams.append(try await agent.stream(.get("stream"))) }
    #expect(try await agent.send(.get("other", as: String.self)) == "ok")
    #expect(agent.liveCount == 12)
    streams = []
    await until { agent.liveCount == 0 }
    server.stop()
  }

  @Test("Events arrive in pieces, and a reset connection is repeated", arguments: Carrier.allCases)
  func events(_ carrier: Carrier) async throws {
    let ids = Locked<[String?]>([])
    let (agent, server) = try carrier.agent { request in
      let id = request.headers["Last-Event-ID"]
      ids.withLock { $0.append(id) }
      switch id {
      case nil:
        let pieces = ["\u{FEFF}retry: 1\r", "\nid: 1\ndata: o", "ne\r\n\r", "\nid: 2\nda"].map {
          Data($0.utf8)
        }
        return .chunks(pieces + [Data("ta".utf8)], contentType: "text/event-stream; charset=utf-8")
          .fault(.truncated(after: 38))
      case "1": return .events([ServerSentEvent("two", id: "2"), ServerSentEvent("three", id: "3")])
      default: return .status(204)
      }
    }
    let (events, error) = await agent.serverSentEvents(of: .get("stream")).drained()
    #expect(error == nil)
    #expect(
      events == [
        ServerSentEvent("one", id: "1", retry: .milliseconds(1)), ServerSentEvent("two", id: "2"),
        ServerSentEvent("three", id: "3"),
      ])
    #expect(ids.withLock { $0 } == [nil, "1", "3"])
    server?.stop()
  }

  @Test("A retry never joins the bytes of two attempts", arguments: Carrier.allCases)
  func retries(_ carrier: Carrier) async throws {
    let counts = Locked<[String: Int]>([:])
    let (agent, server) = try carrier.agent { request in
      let count = counts.withLock { counts in
        counts[request.path, default: 0] += 1
        return counts[request.path]
      }
      return count == 1 ? .text("first\nattempt").fault(.truncated(after: 8)) : .text("second\nattempt")
    }
    let policy = RetryPolicy.upTo(2, backoff: .constant())
    // A collected body contains only the bytes of the second attempt.
    let whole = OneOffRequest.get("whole", as: String.self).with(\.retryPolicy, policy)
    #expect(try await agent.send(whole) == "second\nattempt")
    // A stream fails, because the reader has already received bytes.
    var seen = Data()
    let stream = try await agent.stream(OneOffRequest.get("stream").with(\.retryPolicy, policy))
    let error = await #expect(throws: RequestError.self) {
      for try await chunk in stream.body { seen.append(chunk) }
    }
    #expect(error?.kind == .connectionLost && String(decoding: seen, as: UTF8.self) == "first\nat")
    let lines = try await agent.stream(OneOffRequest.get("lines").with(\.retryPolicy, policy)).lines
    let (found, thrown) = await lines.drained()
    #expect(found == ["first"] && (thrown as? RequestError)?.kind == .connectionLost)
    #expect(counts.withLock { $0 } == ["/whole": 2, "/stream": 1, "/lines": 1])
    server?.stop()
  }

  @Test("A refused head is retried, and the body belongs to the accepted attempt")
  func refusedHead() async throws {
    let transport = MockTransport { $0.number == 1 ? .text("busy\n", status: 503) : .text("a\nb\n") }
    let agent = RequestAgent(baseURL: "http://example.com", transport: transport)
    let request = OneOffRequest.get("lines").with(\.retryPolicy, .upTo(1, backoff: .constant()))
    let response = try await agent.stream(request)
    #expect(await response.lines.drained().elements == ["a", "b"])
    #expect(transport.requests.count == 2)
  }
}
