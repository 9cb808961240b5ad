import ErrandMocks
import Foundation
import TestSupport
import Testing

@testable import Errand
@testable import ErrandApps

@Suite("A presenter", .timeLimit(.minutes(5)))
@MainActor
struct PresenterAccessoryTests {
  private final class Screen: RequestPresenter {
    var events: [String] = []
    func showLoading() { note("loading") }
    func hideLoading() { note("done") }
    func show(_ error: RequestError) { note("\(error.kind)") }

    private func note(_ event: String) {
      MainActor.assertIsolated()
      events.append(event)
    }
  }

  private let screen = Screen()

  private func agent(
    _ transport: any Transport, showsLoading: Bool = true, showsErrors: Bool = true,
    retries: RetryPolicy = .none
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.retryPolicy = retries
    return RequestAgent(
      baseURL: "https://mocked.example", transport: transport,
      accessories: [.presenter(screen, showsLoading: showsLoading, showsErrors: showsErrors)],
      configuration: configuration)
  }

  @Test("A success ends loading, and a failure is shown after the end of loading")
  func outcomes() async throws {
    let agent = agent(MockTransport { .status($0.path == "/a" ? 200 : 404) })
    try await agent.send(.get("a"))
    #expect(screen.events == ["loading", "done"])
    await #expect(throws: RequestError.self) { try await agent.send(.get("b")) }
    #expect(screen.events == ["loading", "done", "loading", "done", "status"])
  }

  @Test("A cancellation is not shown, before sending and during the request")
  func cancelled() async throws {
    let transport = GatedTransport()
    let agent = agent(transport)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await agent.send(.get("a"))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    let handle = agent.start(.get("a"))
    await transport.waitForRequests(1)
    handle.cancel()
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(screen.events == ["loading", "done", "loading", "done"])
  }

  @Test("A dispatch with retries or a suspension is shown as loading once")
  func retries() async throws {
    let agent = agent(MockTransport { .status($0.number < 3 ? 503 : 200) }, retries: .upTo(2))
    try await agent.send(.get("a"))
    let handle = agent.start(.get("b"), suspended: true)
    handle.resume()
    try await handle.value
    #expect(screen.events == ["loading", "done", "loading", "done"])
  }

  @Test("Overlapping dispatches are shown as loading once, and each failure is shown")
  func several() async throws {
    let transport = GatedTransport(status: 500)
    let agent = agent(transport)
    let handles = ["a", "b", "c"].map { agent.start(.get($0)) }
    await transport.waitForRequests(3)
    #expect(screen.events == ["loading"])
    handles[0].cancel()
    _ = try? await handles[0].value
    #expect(screen.events == ["loading"])
    transport.open()
    for handle in handles.dropFirst() { _ = try? await handle.value }
    #expect(screen.events == ["loading", "status", "done", "status"])
  }

  @Test("A presenter gets no unwanted events, and is not retained")
  func choices() async throws {
    let transport = MockTransport { _ in .status(404) }
    _ = try? await agent(transport, showsLoading: false).send(.get("a"))
    #expect(screen.events == ["status"])
    _ = try? await agent(transport, showsErrors: false).send(.get("a"))
    #expect(screen.events == ["status", "loading", "done"])

    weak var gone: Screen?
    let orphaned: RequestAgent
    do {
      let other = Screen()
      gone = other
      orphaned = RequestAgent(
        baseURL: "https://mocked.example", transport: transport, accessories: [.presenter(other)])
    }
    #expect(gone == nil)
    _ = try? await orphaned.send(.get("a"))
  }

  @Test("A presenter can be two closures")
  func closures() async throws {
    let screen = screen
    let accessory: EventAccessory = .presenter {
      screen.events.append("\($0)")
    } failed: {
      screen.events.append("\($0.kind)")
    }
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: MockTransport { _ in .status(404) },
      accessories: [accessory])
    _ = try? await agent.send(.get("a"))
    #expect(screen.events == ["true", "false", "status"])
  }
}
