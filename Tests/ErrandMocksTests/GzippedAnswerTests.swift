import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Gzipped responses of a transport and a server")
struct GzippedAnswerTests {
  private static func agents(_ answer: MockAnswer, limits: TransferLimits = TransferLimits()) throws
    -> [RequestAgent]
  {
    let server = try MockServer()
    server.route(.get, "/a", answers: answer)
    var configuration = AgentConfiguration()
    configuration.limits = limits
    return [
      RequestAgent.mocked(Stub(.get, "/a", answers: answer), configuration: configuration),
      RequestAgent(
        baseURL: server.baseURL, hooks: [Keeping(server: server)], configuration: configuration),
    ]
  }

  /// Keeps a server alive as long as its agent.
  private struct Keeping: RequestHooks { let server: MockServer }

  @Test("The body is decoded, and the head is unchanged")
  func decoded() async throws {
    for agent in try Self.agents(.json(#"{"id":7}"#).gzipped()) {
      let received = try await agent.response(for: .get("a", as: [String: Int].self))
      #expect(received.value == ["id": 7])
      #expect(received.response.headers["Content-Encoding"] == "gzip")
      #expect(received.response.headers["Content-Length"] == "31")
    }
  }

  @Test("Chunked, empty and discarded gzipped bodies are decoded")
  func shapes() async throws {
    let text = String(repeating: "hello ", count: 50_000)
    for agent in try Self.agents(.text(text).gzipped().throttled(to: 10_000_000)) {
      #expect(try await agent.send(.get("a", as: String.self)) == text)
    }
    for agent in try Self.agents(.data(Data()).gzipped()) {
      #expect(try await agent.send(.get("a", as: Data.self)).isEmpty)
    }
    let head = RequestAgent.mocked(Stub(.head, "/a", answers: .text("hello").gzipped()))
    #expect(try await head.response(for: .head("a")).response.headers["Content-Encoding"] == "gzip")
  }

  @Test(
    "An invalid coding gives the same error with a transport and a server",
    arguments: [
      (MockAnswer.text("hello").gzipped().editingBody { $0.removeLast(4) }, "the gzip body ended early"),
      (.text("hello").gzipped().editingBody { $0[10] ^= 0xFF }, "the gzip body is corrupt"),
      (.text("hello").gzipped().editingBody { $0 = Data("hello".utf8) }, "the gzip body is corrupt"),
    ])
  func broken(_ answer: MockAnswer, _ reason: String) async throws {
    for agent in try Self.agents(answer) {
      let error = await #expect(throws: RequestError.self) {
        try await agent.send(.get("a", as: String.self))
      }
      #expect(error?.kind == .corruptBody && error?.reason == reason, "\(String(describing: error))")
    }
  }

  @Test("The decoded size is limited with a transport and a server")
  func limits() async throws {
    var limits = TransferLimits()
    limits.decodedSize = 4
    for agent in try Self.agents(.text("hello").gzipped(), limits: limits) {
      let error = await #expect(throws: RequestError.self) {
        try await agent.send(.get("a", as: String.self))
      }
      #expect(error?.kind == .limitExceeded)
      #expect(error?.reason == "the decoded body is longer than limits.decodedSize, 4 bytes")
    }
  }

  @Test("A transport leaves an explicit Content-Encoding field alone")
  func ownField() async throws {
    let agent = RequestAgent.mocked(
      Stub(.get, "/a", answers: .text("plain").header("Content-Encoding", "gzip")))
    #expect(try await agent.send(.get("a", as: String.self)) == "plain")
  }
}
