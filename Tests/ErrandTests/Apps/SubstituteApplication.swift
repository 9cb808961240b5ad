import ErrandMocks

@testable import Errand
@testable import ErrandApps

final class SubstituteApplication: EventAccessory.BackgroundTaskHost {
  private struct State {
    var last = 0
    var running: Set<Int> = []
    var expired: [Int: @Sendable () -> Void] = [:]
  }

  let recorder = Recorder()
  private let isGenerous: Bool
  private let isHasty: Bool
  private let state = Locked(State())

  /// With `isHasty`, the time of a task expires before the task has begun.
  init(isGenerous: Bool = true, isHasty: Bool = false) {
    self.isGenerous = isGenerous
    self.isHasty = isHasty
  }

  var events: [String] { recorder.events }
  var running: Set<Int> { state.withLock { $0.running } }

  func beginBackgroundTask(named name: String, expired: @escaping @Sendable () -> Void) -> Int? {
    recorder.add("begin \(name)")
    if isHasty { expired() }
    guard isGenerous else {
      state.withLock { $0.expired[0] = expired }
      return nil
    }
    return state.withLock { state in
      state.last += 1
      state.expired[state.last] = expired
      state.running.insert(state.last)
      return state.last
    }
  }

  func endBackgroundTask(_ id: Int) {
    let isRunning = state.withLock { $0.running.remove(id) != nil }
    recorder.add(isRunning ? "end \(id)" : "end \(id), which does not run")
  }

  /// Id 0: the last task that was not granted.
  func expire(_ id: Int) { state.withLock { $0.expired[id] }?() }

  func accessory(
    covers: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }
  ) -> EventAccessory {
    .backgroundTasks(of: self, covers: covers) { [recorder] in recorder.add("expired \($0)") }
  }

  func agent(
    over transport: any Transport, hooks: [any RequestHooks] = [],
    clock: TestClock = TestClock(autoAdvances: true)
  ) -> RequestAgent {
    .accompanied(by: accessory(), over: transport, hooks: hooks, clock: clock)
  }
}

extension RequestAgent {
  static func accompanied(
    by accessories: EventAccessory..., over transport: any Transport, hooks: [any RequestHooks] = [],
    clock: TestClock = TestClock(autoAdvances: true)
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { 0 }
    configuration.retryPolicy = .upTo(1)
    return RequestAgent(
      baseURL: "https://mocked.example", transport: transport, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }
}
