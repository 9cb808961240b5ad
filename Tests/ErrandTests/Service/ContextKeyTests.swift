import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("Typed values of a dispatch")
struct ContextKeyTests {
  enum Tenant: ContextKey {
    static var defaultValue: String? { "nobody" }
  }

  enum Count: ContextKey {
    static var defaultValue: Int { 0 }
  }

  struct Writing: RequestHooks {
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      context[Count.self] += 1
      context[Tenant.self] = request.url.lastPathComponent == "none" ? nil : request.url.lastPathComponent
    }
  }

  @Test("Accessories read what hooks wrote, in all attempts of the same dispatch only")
  func values() async throws {
    let recorder = Recorder()
    let log = EventAccessory(
      willStart: { recorder.add("start \($0[Tenant.self] ?? "nil") \($0[Count.self])") },
      attemptStopped: { recorder.add("attempt \($1[Tenant.self] ?? "nil") \($1[Count.self])") },
      didStop: { recorder.add("end \($1[Tenant.self] ?? "nil") \($1[Count.self])") })
    let transport = FunctionTransport { _, number in HTTPResponse(status: number == 1 ? 503 : 200) }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: transport, hooks: [Writing()], accessories: [log],
      configuration: configuration)
    try await agent.send(.get("a").with(\.retryPolicy, .upTo(1)))
    try await agent.send(.get("none"))
    #expect(
      recorder.events == [
        "start nobody 0", "attempt a 1", "attempt a 2", "end a 2", "start nobody 0", "attempt nil 1",
        "end nil 1",
      ])
  }

  @Test("A value is released with the dispatch, and a replaced value at once, outside of locks")
  func released() async throws {
    final class Token: Sendable {
      let recorder: Recorder
      let context: Locked<RequestContext?>
      init(_ recorder: Recorder, _ context: RequestContext) {
        (self.recorder, self.context) = (recorder, Locked(context))
      }
      deinit {
        // Takes the lock of the values.
        let context = context.withLock { $0.take() }
        recorder.add("released \(context?[Count.self] ?? -1)")
      }
    }
    enum Kept: ContextKey {
      static var defaultValue: Token? { nil }
    }
    let recorder = Recorder()
    let context = RequestContext(
      dispatched: .init(id: 1, request: OneOffRequest.get("x"), tools: .init()), attempt: 1)
    context[Count.self] = 7
    context[Kept.self] = Token(recorder, context)
    context[Kept.self] = nil
    #expect(recorder.events == ["released 7"])
    #expect(context[Kept.self] == nil)
  }
}
