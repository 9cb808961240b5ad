import ErrandMocks
import Foundation
import TestSupport
import Testing

@testable import Errand

@Suite("The network path", .timeLimit(.minutes(5)))
struct NetworkPathTests {
  @Test("A listener gets the current path, then each change in order, without repeats")
  func changes() async {
    let path = MockNetworkPath(NetworkPath.State(.unknown))
    var first = path.path.changes().makeAsyncIterator()
    path.state = NetworkPath.State(.unsatisfied)
    path.state = NetworkPath.State(.unsatisfied)
    path.state = NetworkPath.State(.satisfied, isExpensive: true)
    path.state = NetworkPath.State(.satisfied, isExpensive: true, isConstrained: true)
    var second = path.path.changes().makeAsyncIterator()

    #expect(await first.next() == NetworkPath.State(.unknown))
    #expect(await first.next() == NetworkPath.State(.unsatisfied))
    #expect(await first.next() == NetworkPath.State(.satisfied, isExpensive: true))
    #expect(await first.next() == path.state && path.state.isConstrained)
    #expect(await second.next() == path.state)
  }

  @Test("A released path ends its streams, and a dropped stream is forgotten")
  func ends() async {
    var path: NetworkPathSource? = NetworkPathSource(NetworkPath.State(.satisfied))
    let stream = path?.changes()
    do {
      let dropped = path?.changes()
      #expect(path?.listenerCount == 2)
      _ = dropped
    }
    #expect(path?.listenerCount == 1)
    path = nil
    var states: [NetworkPath.State] = []
    for await state in stream ?? AsyncStream(unfolding: { nil }) { states.append(state) }
    #expect(states == [NetworkPath.State(.satisfied)])
  }

  @Test("The network counts as back after an absence, and not after a present or unknown state")
  func comesBack() async {
    func comesBack(_ states: [NetworkPath.State.Status]) async -> Bool {
      let path = NetworkPath(state: { NetworkPath.State(states[0]) }) {
        AsyncStream { stream in
          for state in states { stream.yield(NetworkPath.State(state)) }
          stream.finish()
        }
      }
      return await path.comesBack()
    }
    #expect(await comesBack([.unsatisfied, .satisfied]))
    #expect(await comesBack([.satisfied, .unsatisfied, .unknown, .satisfied]))
    #expect(await !comesBack([.unknown, .satisfied]))
    #expect(await !comesBack([.satisfied, .satisfied]))
    #expect(await !comesBack([.unsatisfied, .unknown]))
  }

  @Test("A path whose stream is always ready lets other tasks run on its thread")
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func alwaysReady() async {
    let (count, areQueued) = (Locked(0), DispatchSemaphore(value: 0))
    // Holds the thread until both tasks are queued.
    @Sendable func waitForTasks() {
      areQueued.wait()
      areQueued.signal()
    }
    let path = NetworkPath(state: { NetworkPath.State(.satisfied) }) {
      AsyncStream {
        waitForTasks()
        return count.withLock { count in
          count += 1
          return count < 1_000 ? NetworkPath.State(.satisfied) : nil
        }
      }
    }
    let thread = SingleThread()
    let wait = Task(executorPreference: thread) { await path.comesBack() }
    let other = Task(executorPreference: thread) { count.withLock { $0 } }
    areQueued.signal()
    #expect(await other.value < 1_000)
    #expect(await !wait.value)
  }

  #if os(Linux)
  @Test("The system's path is unknown on Linux")
  func system() async {
    let path = NetworkPath.system
    #expect(path.state == NetworkPath.State(.unknown))
    var states = path.changes().makeAsyncIterator()
    #expect(await states.next() == NetworkPath.State(.unknown))
  }
  #endif
}

@Suite("Waits shortened by the network", .timeLimit(.minutes(5)))
struct NetworkPathRetryTests {
  private let clock = TestClock()
  private let path = MockNetworkPath(NetworkPath.State(.unsatisfied))

  private struct Fetch: Request {
    typealias Response = Void
    var retryPolicy: RetryPolicy
    var decision: RetryPolicy.Decision?

    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision { decision ?? suggested }
  }

  private func agent(_ answers: MockAnswer...) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { 0 }
    return RequestAgent(
      baseURL: "https://mocked.example",
      transport: MockTransport { answers[min($0.number, answers.count) - 1] }, configuration: configuration)
  }

  private let lost = MockAnswer.failure(TransportError(.connectionLost, "gone"))

  @Test("A retry is sent when the network is back, and the next wait has its normal length")
  func cut() async throws {
    let handle = agent(lost, lost, .status(200)).start(
      Fetch(retryPolicy: .upTo(2).cuttingWaits(by: path.path)))
    await clock.waitForSleepers(1)
    path.state = NetworkPath.State(.satisfied)
    await clock.waitForSleeps(2)
    #expect(clock.now.offset == .zero && clock.sleeps == [.seconds(1), .seconds(2)])
    await clock.advance(by: .seconds(2))
    try await handle.value
    let report = try #require(handle.report)
    #expect(report.attempts.map { $0.retry?.wait } == [.seconds(1), .seconds(2), nil])
    #expect(report.attempts.map { $0.retry?.source } == [.policy, .policy, nil])
    #expect(report.elapsed == .seconds(2) && clock.sleeperCount == 0)
  }

  @Test("A returning network causes no retry that the policy forbids")
  func limit() async throws {
    let handle = agent(lost).start(Fetch(retryPolicy: .upTo(1).cuttingWaits(by: path.path)))
    await clock.waitForSleepers(1)
    path.state = NetworkPath.State(.satisfied)
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.attempts == 2 && error.kind == .connectionLost)
    path.state = NetworkPath.State(.unsatisfied)
    path.state = NetworkPath.State(.satisfied)
    #expect(handle.report?.attempts.count == 2)
  }

  @Test(
    "Waits from the server or a request's decision are not shortened, and a constant path changes nothing",
    arguments: ["Retry-After", "decision", "there"])
  func notCut(_ way: String) async throws {
    let answer = way == "Retry-After" ? MockAnswer.status(503).header("Retry-After", "5") : lost
    if way == "there" { path.state = NetworkPath.State(.satisfied) }
    let request = Fetch(
      retryPolicy: .upTo(1, backoff: .constant(.seconds(5))).cuttingWaits(by: path.path),
      decision: way == "decision" ? .retry(after: .seconds(6)) : nil)
    let handle = agent(answer, .status(200)).start(request)
    await clock.waitForSleepers(1)
    if way != "there" { path.state = NetworkPath.State(.satisfied) }
    path.state = NetworkPath.State(.satisfied, isExpensive: true)
    await clock.advance(by: .seconds(4))
    #expect(handle.state == .running && clock.sleeperCount == 1)
    await clock.advance(by: .seconds(2))
    try await handle.value
  }

  @Test("A cancellation ends the wait as usual, and removes the listener")
  func cancelled() async throws {
    let handle = agent(lost).start(Fetch(retryPolicy: .upTo(1).cuttingWaits(by: path.path)))
    await clock.waitForSleepers(1)
    handle.cancel()
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.isCancelled && clock.sleeperCount == 0)
  }

  @Test("An explanation names the network path")
  func explained() async throws {
    let explanation = try await agent().explain(Fetch(retryPolicy: .upTo(2).cuttingWaits(by: path.path)))
    #expect("\(explanation)".contains("at most 2 more, waits end when the network is back"))
  }
}

/// One job after another, in order.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class SingleThread: TaskExecutor {
  private let queue = DispatchQueue(label: "single thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
