import Errand
import ErrandMocks
import Logging
import ServiceLifecycle
import Testing

@Suite("An agent as a service")
struct AgentServiceTests {
  @Test("A graceful shutdown waits for the request in flight, and later requests are refused")
  func shutdown() async throws {
    let server = try MockServer()
    server.route(.get, "/slow", answers: .text("done").delayed(by: .milliseconds(50)))
    let agent = RequestAgent(baseURL: server.baseURL)
    let group = ServiceGroup(
      services: [AgentService(agent: agent)], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { try await group.run() }
    let request = Task { try await agent.send(.get("slow", as: String.self)) }
    while server.requestCount == 0 { await Task.yield() }
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(try await request.value == "done" && agent.liveCount == 0)
    let error = await #expect(throws: RequestError.self) { try await agent.send(.get("slow")) }
    #expect(error?.kind == .drained)
  }

  @Test("After the drain time the remaining requests are cancelled, and the group ends")
  func cancelled() async throws {
    let server = try MockServer()
    server.route(.get, "/endless", answers: .text("late").delayed(by: .seconds(600)))
    let agent = RequestAgent(baseURL: server.baseURL)
    let group = ServiceGroup(
      services: [AgentService(agent: agent, drainTime: .zero)],
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { try await group.run() }
    let request = Task { try await agent.send(.get("endless")) }
    while server.requestCount == 0 { await Task.yield() }
    await group.triggerGracefulShutdown()
    try await running.value
    let error = await #expect(throws: RequestError.self) { try await request.value }
    #expect(error?.kind == .cancelled)
  }
}
