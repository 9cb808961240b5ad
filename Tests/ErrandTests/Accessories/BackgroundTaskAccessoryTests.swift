import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Background tasks of an application", .timeLimit(.minutes(5)))
struct BackgroundTaskAccessoryTests {
  /// An application that grants tasks, or none.
  final class Application: BackgroundTaskHost {
    let recorder = Recorder()
    private let isGenerous: Bool
    private let isHasty: Bool
    private let state = Locked((last: 0, expired: [Int: @Sendable () -> Void]()))

    /// A hasty one's time is up before the task has begun.
    init(isGenerous: Bool = true, isHasty: Bool = false) {
      self.isGenerous = isGenerous
      self.isHasty = isHasty
    }

    func beginBackgroundTask(named name: String, expired: @escaping @Sendable () -> Void) -> Int? {
      recorder.add("begin \(name)")
      guard isGenerous else { return nil }
      if isHasty { expired() }
      return state.withLock { state in
        state.last += 1
        state.expired[state.last] = expired
        return state.last
      }
    }

    func endBackgroundTask(_ id: Int) { recorder.add("end \(id)") }

    func expire(_ id: Int) { state.withLock { $0.expired[id] }?() }
  }

  private func agent(
    _ transport: any Transport, _ accessory: BackgroundTaskAccessory
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.retryPolicy = .upTo(1)
    return RequestAgent(
      baseURL: "https://mocked.example", transport: transport, accessories: [accessory],
      configuration: configuration)
  }

  @Test("One for each attempt, none while a retry is waited for")
  func retries() async throws {
    let application = Application()
    let transport = MockTransport { request in request.number == 1 ? .status(503) : .status(200) }
    try await agent(transport, BackgroundTaskAccessory(application)).send(.get("a"))
    #expect(
      application.recorder.events == [
        "begin Errand mocked.example", "end 1", "begin Errand mocked.example", "end 2",
      ])
  }

  @Test("One for an attempt that follows redirects")
  func redirects() async throws {
    let application = Application()
    let transport = MockTransport { request in
      request.number == 1 ? .status(302).header("Location", "/b") : .status(200)
    }
    try await agent(transport, BackgroundTaskAccessory(application)).send(.get("a"))
    #expect(application.recorder.events == ["begin Errand mocked.example", "end 1"])
  }

  @Test("Its expiry ends it once, and not the dispatch")
  func expiry() async throws {
    let (application, transport) = (Application(), GatedTransport())
    let accessory = BackgroundTaskAccessory(
      application, expired: { application.recorder.add("expired in \($0.id)") })
    let handle = agent(transport, accessory).start(.get("a"))
    await transport.waitForRequests(1)
    application.expire(1)
    transport.open()
    try await handle.value
    application.expire(1)
    #expect(
      application.recorder.events == [
        "begin Errand mocked.example", "end 1", "expired in 1",
      ])
  }

  @Test("One that expires before it has begun is ended")
  func hasty() async throws {
    let application = Application(isHasty: true)
    try await agent(MockTransport { _ in .status(200) }, BackgroundTaskAccessory(application)).send(.get("a"))
    #expect(application.recorder.events == ["begin Errand mocked.example", "end 1"])
  }

  @Test("None where it is not asked for, none ended where none was granted")
  func refused() async throws {
    let application = Application(isGenerous: false)
    let accessory = BackgroundTaskAccessory(application, covers: { $0.method == .post })
    let agent = agent(MockTransport { _ in .status(200) }, accessory)
    try await agent.send(.get("a"))
    #expect(application.recorder.events == [])
    try await agent.send(OneOffRequest("a", method: .post, response: .none as any ResponseSerializer<Void>))
    #expect(application.recorder.events == ["begin Errand mocked.example"])
  }

  @Test("It is ended when the dispatch is cancelled")
  func cancelled() async throws {
    let (application, transport) = (Application(), GatedTransport())
    let handle = agent(transport, BackgroundTaskAccessory(application)).start(.get("a"))
    await transport.waitForRequests(1)
    handle.cancel()
    _ = try? await handle.value
    #expect(application.recorder.events == ["begin Errand mocked.example", "end 1"])
  }
}
