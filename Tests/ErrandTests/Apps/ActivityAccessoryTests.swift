import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandApps

@Suite("An activity indicator", .timeLimit(.minutes(5)))
struct ActivityAccessoryTests {
  private let recorder = Recorder()

  private func agent(_ transport: any Transport) -> RequestAgent {
    RequestAgent(
      baseURL: "https://mocked.example", transport: transport,
      accessories: [.activity { [recorder] in recorder.add($0 ? "on" : "off") }])
  }

  @Test("Three overlapping dispatches switch once")
  func overlapping() async throws {
    let transport = GatedTransport()
    let agent = agent(transport)
    let handles = ["a", "b", "c"].map { agent.start(.get($0)) }
    await transport.waitForRequests(3)
    #expect(recorder.events == ["on"])
    transport.open()
    for handle in handles { try await handle.value }
    #expect(recorder.events == ["on", "off"])
  }

  @Test("A dispatch cancelled before sending does not switch")
  func unsent() async throws {
    let agent = agent(GatedTransport())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await agent.send(.get("a"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(recorder.events == [])
  }

  @Test("The indicator is off during the wait for a retry, and at the end, also after cancellation")
  func retries() async throws {
    let transport = MockTransport(clock: TestClock(autoAdvances: true)) { request in
      request.number == 1 ? .status(503) : .status(200)
    }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.retryPolicy = .upTo(1)
    let recorder = recorder
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: transport,
      accessories: [.activity { recorder.add($0 ? "on" : "off") }], configuration: configuration)
    try await agent.send(.get("a"))
    #expect(recorder.events == ["on", "off", "on", "off"])
    let gated = GatedTransport()
    let second = self.agent(gated)
    let handle = second.start(.get("a"))
    await gated.waitForRequests(1)
    handle.cancel()
    _ = try? await handle.value
    #expect(recorder.events == ["on", "off", "on", "off", "on", "off"])
  }

  @Test("Switches alternate and end with off under concurrency")
  func storm() async throws {
    let recorder = recorder
    let accessory: EventAccessory = .activity { isOn in
      recorder.add(isOn ? "on" : "off")
      await Task.yield()
      recorder.add("told")
    }
    let agents = (0..<3).map { _ in
      RequestAgent(
        baseURL: "https://mocked.example", transport: FunctionTransport(), accessories: [accessory])
    }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<300 { group.addTask { try? await agents[index % 3].send(.get("\(index)")) } }
    }
    let events = recorder.events
    #expect(events.count % 4 == 0 && !events.isEmpty)
    for (index, event) in events.enumerated() { #expect(event == ["on", "told", "off", "told"][index % 4]) }
  }

  @Test("The closure can run on the main actor")
  func mainActor() async throws {
    let recorder = recorder
    let accessory: EventAccessory = .activity { @MainActor isOn in
      MainActor.assertIsolated()
      recorder.add(isOn ? "on" : "off")
    }
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: FunctionTransport(), accessories: [accessory])
    try await agent.send(.get("a"))
    #expect(recorder.events == ["on", "off"])
  }
}
