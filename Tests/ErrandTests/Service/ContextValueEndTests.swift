import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("The end of the values of a dispatch", .timeLimit(.minutes(5)))
struct ContextValueEndTests {
  private final class Token: Sendable {
    let recorder: Recorder
    init(_ recorder: Recorder) { self.recorder = recorder }
    deinit { recorder.add("released") }
  }

  private enum Kept: ContextKey {
    static var defaultValue: Token? { nil }
  }

  private enum Sent: ContextKey {
    static var defaultValue: HTTPRequest? { nil }
  }

  private enum Own: ContextKey {
    static var defaultValue: RequestContext? { nil }
  }

  /// Stores values that refer to the dispatch.
  private struct Storing: RequestHooks {
    let recorder: Recorder
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      context[Kept.self] = Token(recorder)
      context[Sent.self] = request
      context[Own.self] = context
    }
  }

  private static func agent(_ recorder: Recorder) -> RequestAgent {
    let log = EventAccessory(didStop: { _, context in
      recorder.add("stop \(context[Kept.self] != nil) \(context[Sent.self] != nil)")
    })
    return RequestAgent(
      baseURL: "https://api.example.com",
      transport: FunctionTransport { _, _ in HTTPResponse(body: Data("x".utf8)) },
      hooks: [Storing(recorder: recorder)], accessories: [log])
  }

  @Test("Values are released after the dispatch, although the response and the report are kept")
  func released() async throws {
    let recorder = Recorder()
    let received = try await Self.agent(recorder).response(for: .get("x", as: String.self))
    #expect(recorder.events == ["stop true true", "released"])
    withExtendedLifetime(received) {}
  }

  @Test("Values are released after the body of a stream")
  func stream() async throws {
    let recorder = Recorder()
    let stream = try await Self.agent(recorder).stream(.get("x"))
    #expect(recorder.events.isEmpty)
    for try await _ in stream.body {}
    #expect(recorder.events == ["stop true true", "released"])
    withExtendedLifetime(stream) {}
  }

  @Test("Values are released after an explanation")
  func explanation() async throws {
    let recorder = Recorder()
    let explanation = try await Self.agent(recorder).explain(.get("x"))
    #expect(recorder.events == ["released"])
    withExtendedLifetime(explanation) {}
  }

  @Test("After the dispatch, an assignment has no effect")
  func late() async throws {
    let (recorder, last) = (Recorder(), Locked<RequestContext?>(nil))
    let log = EventAccessory(didStop: { _, context in last.withLock { $0 = context } })
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: FunctionTransport(), accessories: [log])
    try await agent.send(.get("x"))
    let context = try #require(last.withLock { $0 })
    context[Kept.self] = Token(recorder)
    #expect(recorder.events == ["released"] && context[Kept.self] == nil)
  }
}
