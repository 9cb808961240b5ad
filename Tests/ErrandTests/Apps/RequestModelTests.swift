import ErrandMocks
import Foundation
import Observation
import TestSupport
import Testing

@testable import Errand
@testable import ErrandApps

@Suite("The model of a request for a view", .timeLimit(.minutes(5)))
@MainActor
struct RequestModelTests {
  private struct Fetch: Request {
    typealias Response = String
    var path = "a"
  }

  /// Without repeated progress values.
  @MainActor
  private final class Watch<Value: Sendable> {
    private(set) var states: [String] = []
    private let model: RequestModel<Value>

    init(_ model: RequestModel<Value>) {
      self.model = model
      note()
    }

    private func note() {
      let state = withObservationTracking {
        model.state
      } onChange: { [weak self] in
        // The callback runs before the change.
        Task { @MainActor in self?.note() }
      }
      let word =
        switch state {
        case .idle: "idle"
        case .running: "running"
        case .succeeded(let value): "succeeded \(value)"
        case .failed(let error): "failed \(error.kind)"
        }
      if states.last != word { states.append(word) }
    }

    func wait(for last: String) async {
      while states.last != last { await Task.yield() }
    }
  }

  @Test(
    "The model goes from idle to running to a value, which stays during the next request and after a failure"
  )
  func values() async throws {
    let transport = MockTransport { .text($0.number == 1 ? "one" : "", status: $0.number == 1 ? 200 : 500) }
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: transport)
    let model = RequestModel<String>()
    let watch = Watch(model)
    #expect(!model.isRunning && model.value == nil && model.error == nil)
    model.send(Fetch(), by: agent)
    // Any phase is possible, because the dispatch continues concurrently to the main actor.
    #expect(model.isRunning && model.state.progress != nil)
    await watch.wait(for: "succeeded one")
    #expect(model.value == "one" && !model.isRunning)

    await model.load(Fetch(), by: agent)
    #expect(model.value == "one" && model.error?.kind == .status && model.state.value == nil)
    await watch.wait(for: "failed status")
    #expect(watch.states == ["idle", "running", "succeeded one", "running", "failed status"])
  }

  @Test("The next request replaces the running request, whose end changes nothing")
  func replaced() async throws {
    let transport = GatedTransport()
    let stopped = Recorder()
    let accessory = EventAccessory(didStop: { report, context in stopped.add(report.outcome.word) })
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: transport, accessories: [accessory])
    let other = RequestAgent(
      baseURL: "https://mocked.example", transport: MockTransport { _ in .text("two") })
    let model = RequestModel<String>(value: "kept")
    let first = Task { await model.load(Fetch(), by: agent) }
    await transport.waitForRequests(1)
    await model.load(Fetch(), by: other)
    await first.value
    #expect(model.state == .succeeded("two") && model.value == "two")
    #expect(stopped.events == ["cancelled"])
  }

  @Test(
    "A cancelled model is idle at once and keeps its value, also for cancelAll and a cancelled loading task"
  )
  func cancelled() async throws {
    let transport = GatedTransport()
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: transport)
    let model = RequestModel<String>(value: "kept")
    model.send(Fetch(), by: agent)
    await transport.waitForRequests(1)
    model.cancel()
    #expect(model.state == .idle && model.value == "kept")
    model.cancel()

    let loading = Task { await model.load(Fetch(), by: agent) }
    await transport.waitForRequests(2)
    loading.cancel()
    await loading.value
    #expect(model.state == .idle)

    let watch = Watch(model)
    model.send(Fetch(), by: agent)
    await watch.wait(for: "running")
    await transport.waitForRequests(3)
    agent.cancelAll()
    await watch.wait(for: "idle")
    #expect(watch.states == ["idle", "running", "idle"] && model.value == "kept")
    while agent.liveCount > 0 { await Task.yield() }
  }

  @Test("Loading in a task that is already cancelled sends nothing, and changes nothing")
  func cancelledBefore() async throws {
    let transport = MockTransport { _ in .text("new") }
    let stopped = Recorder()
    let accessory = EventAccessory(didStop: { report, context in stopped.add(report.outcome.word) })
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: transport, accessories: [accessory])
    let model = RequestModel<String>(value: "kept")
    let loading = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await model.load(Fetch(), by: agent)
    }
    await loading.value
    while agent.liveCount > 0 { await Task.yield() }
    #expect(model.state == .idle && model.value == "kept")
    #expect(transport.requests.isEmpty && stopped.events.isEmpty)

    let gated = GatedTransport()
    let other = RequestAgent(baseURL: "https://mocked.example", transport: gated)
    model.send(Fetch(), by: other)
    await gated.waitForRequests(1)
    let second = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await model.load(Fetch(), by: agent)
    }
    await second.value
    #expect(model.isRunning && transport.requests.isEmpty)
    model.cancel()
  }

  @Test("An observer may send another request at once, and that request counts")
  func reentered() async throws {
    let agent = RequestAgent(
      baseURL: "https://mocked.example",
      transport: MockTransport { .text($0.path == "/b" ? "second" : "first") })
    let model = RequestModel<String>()
    let isFirst = Locked<Void?>(())
    withObservationTracking {
      _ = model.state
    } onChange: {
      // Called before the change, and also for changes made in this callback.
      guard isFirst.withLock({ $0.take() }) != nil else { return }
      MainActor.assumeIsolated { model.send(Fetch(path: "b"), by: agent) }
    }
    model.send(Fetch(), by: agent)
    let watch = Watch(model)
    await watch.wait(for: "succeeded second")
    #expect(model.value == "second")
  }

  @Test("A released model cancels its request, and nothing retains the model")
  func released() async throws {
    let transport = GatedTransport()
    let stopped = OneTime<String>()
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: transport,
      accessories: [EventAccessory(didStop: { report, _ in stopped.set(report.outcome.word) })])
    weak var gone: RequestModel<String>?
    do {
      let model = RequestModel<String>()
      gone = model
      model.send(Fetch(), by: agent)
      await transport.waitForRequests(1)
    }
    #expect(try await stopped.wait() == "cancelled")
    #expect(gone == nil)
  }

  @Test("The states of a handle start with the current state and end with the end, for any number of loops")
  func states() async throws {
    let body = Data(repeating: 1, count: 1000)
    let transport = MockTransport { _ in .chunks([body, body]) }
    let handle = RequestAgent(baseURL: "https://mocked.example", transport: transport)
      .start(.get("a", as: Data.self))
    for _ in 0..<2 {
      var states: [RequestState<Data>] = []
      for await state in handle.states { states.append(state) }
      #expect(states.dropLast().allSatisfy(\.isRunning) && states.count >= 2)
      #expect(states.last == .succeeded(body + body))
      #expect(states.dropLast().last?.progress?.completed == 2000)
    }
  }

  @Test("A loop in a cancelled task ends, and the dispatch continues")
  func dropped() async throws {
    let transport = GatedTransport()
    let handle = RequestAgent(baseURL: "https://mocked.example", transport: transport).start(Fetch())
    // The states do not change until the gate opens.
    await transport.waitForRequests(1)
    let begun = OneTime<Void>()
    let loop = Task {
      var count = 0
      for await _ in handle.states {
        count += 1
        begun.set(())
      }
      return count
    }
    try await begun.wait()
    loop.cancel()
    #expect(await loop.value == 1)
    #expect(handle.state == .running)
    transport.open()
    #expect(try await handle.value == "")
  }

  @Test("States are equal if their values are equal, and errors if their texts are equal")
  func equal() {
    let failed = RequestState<Int>.failed(RequestError(.status, "a", stage: .validate))
    let other = RequestState<Int>.failed(RequestError(.status, "b", stage: .validate))
    #expect(failed == failed && failed != other && failed != .idle)
    #expect(RequestState.succeeded(1) == .succeeded(1) && RequestState.succeeded(1) != .succeeded(2))
    #expect(RequestState<Int>.idle == .idle && failed.error?.reason == "a" && failed.value == nil)
  }
}
