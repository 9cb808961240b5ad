import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Cancellation of groups in each phase", .timeLimit(.minutes(5)))
struct GroupCancellationTests {
  /// `events` lists all events of the group.
  struct Phase: CustomTestStringConvertible, Sendable {
    let name: String
    let event: String
    let events: [String]
    var testDescription: String { name }
  }

  static let first = ["willStart 0/0", "a sent", "a answered", "a success", "member 0 success 1/3"]
  static let second = first + ["callback 0", "wait"]
  static let all =
    second + [
      "b sent", "b answered", "b success", "member 1 success 2/3", "callback 1", "wait", "c sent",
      "c answered",
      "c success", "member 2 success 3/3", "callback 2", "willStop 3/3",
    ]
  static let noneSent = [
    "willStop 0/3", "didStop cancelled: cancelled unsent, cancelled unsent, cancelled unsent",
  ]
  static let oneDone = ["willStop 1/3", "didStop cancelled: success, cancelled unsent, cancelled unsent"]

  static let phases = [
    Phase(
      name: "before the first member", event: "willStart 0/0",
      events: ["willStart 0/0"] + noneSent),
    Phase(
      name: "in a member's hook", event: "a sent",
      events: [
        "willStart 0/0", "a sent", "a cancelled", "member 0 cancelled 1/3", "willStop 1/3",
        "didStop cancelled: cancelled, cancelled unsent, cancelled unsent",
      ]),
    Phase(
      name: "while a member is on the wire", event: "b answered",
      events: second + [
        "b sent", "b answered", "b cancelled", "member 1 cancelled 2/3", "willStop 2/3",
        "didStop cancelled: success, cancelled, cancelled unsent",
      ]),
    Phase(
      name: "when a member's outcome is fixed", event: "a success", events: first + oneDone),
    Phase(name: "between two members", event: "member 0 success 1/3", events: first + oneDone),
    Phase(name: "in a member's callback", event: "callback 0", events: first + ["callback 0"] + oneDone),
    Phase(name: "in the interval", event: "wait", events: second + oneDone),
    Phase(
      name: "in the last callback", event: "callback 2",
      events: all + ["didStop cancelled: success, success, success"]
    ),
    Phase(
      name: "while it finishes", event: "willStop 3/3",
      events: all + ["didStop cancelled: success, success, success"]),
  ]

  /// With `waits`, sleeps until cancellation.
  struct NotingClock: Clock {
    let recorder: Recorder
    let waits: Bool
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      recorder.add("wait")
      if waits { try await Task.sleep(for: .seconds(3600)) }
    }
  }

  func agent(_ recorder: Recorder, waits: Bool = false) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(NotingClock(recorder: recorder, waits: waits))
    return .mocked(
      by: MockTransport { request in
        recorder.add("\(request.path.dropFirst()) answered")
        return .text("ok")
      }, configuration: configuration)
  }

  func chain(_ recorder: Recorder) -> ChainRequest<[Outcome<String>]> {
    let members = ["a", "b", "c"].map { Member(path: $0, recorder: recorder) }
    var chain = ChainRequest(members) { index, _ in recorder.add("callback \(index)") }
    chain.accessories = [GroupDiary(recorder: recorder)]
    chain.interval = .seconds(60)
    return chain
  }

  @Test(
    "A chain and each member end as cancelled once, and accessories are balanced",
    arguments: phases, CancellationTests.Canceller.allCases)
  func chain(_ phase: Phase, _ canceller: CancellationTests.Canceller) async throws {
    let recorder = Recorder()
    let agent = agent(recorder, waits: phase.event == "wait")
    let running = RunningGroup(agent, chain(recorder), canceller)
    recorder.on(phase.event) { running.cancel() }
    await expectCancelled(canceller) { try await running.value }
    #expect(recorder.events == phase.events)
    #expect(agent.liveCount == 0 && agent.groups.count == 0)
  }

  @Test("A batch ends as cancelled with all its members", arguments: CancellationTests.Canceller.allCases)
  func batch(_ canceller: CancellationTests.Canceller) async throws {
    let (recorder, server) = (Recorder(), GatedServer())
    let agent = server.agent()
    let paths = (0..<6).map { "p\($0)" }
    var batch = UniformBatch(paths.map { Member(path: $0, recorder: recorder) }, width: 3)
    batch.accessories = [GroupDiary(recorder: recorder)]
    let running = RunningGroup(agent, batch, canceller)
    let value = Task { try await running.value }
    for path in ["p0", "p1", "p2"] { try await server.arrival(of: path) }
    running.cancel()
    await expectCancelled(canceller) { try await value.value }
    #expect(
      recorder.events.last
        == "didStop cancelled: cancelled, cancelled, cancelled, cancelled unsent, cancelled unsent, cancelled unsent"
    )
    #expect(recorder.events.filter { $0.hasPrefix("p") && $0.hasSuffix("cancelled") }.count == 3)
    #expect(server.paths.count == 3 && agent.liveCount == 0)
  }

  @Test("A task cancelled before its call sends no member and does not hang")
  func beforeTheCall() async throws {
    let recorder = Recorder()
    let agent = agent(recorder)
    let chain = chain(recorder)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await agent.send(chain)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(recorder.events == ["willStart 0/0"] + Self.noneSent)
    let batch = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await agent.sendTogether(Member(path: "a", recorder: recorder), Member(path: "b"))
    }
    await #expect(throws: CancellationError.self) { try await batch.value }
    #expect(recorder.events.count == 3)
  }

  @Test("A cancellation in the completion changes nothing")
  func late() async throws {
    let recorder = Recorder()
    let agent = agent(recorder)
    let handle = agent.start(chain(recorder), on: .global()) { outcome in
      recorder.add("completion \(outcome.word)")
      agent.cancelAll()
    }
    #expect(try await handle.value.count == 3)
    handle.cancel()
    #expect(handle.outcome?.word == "success" && handle.report?.outcome.word == "success")
    #expect(
      recorder.events.suffix(2) == ["completion success", "didStop success: success, success, success"])
  }

  @Test("A cancelled wait for a handle's value only ends that wait")
  func waiter() async throws {
    let server = GatedServer()
    let handle = server.agent().start(UniformBatch([Member(path: "a")]))
    try await server.arrival(of: "a")
    let waiter = Task { try await handle.value }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    server.open("a")
    #expect(try await handle.value == ["a"])
  }

  @Test("The agent cancels members, groups and single dispatches")
  func cancelAll() async throws {
    let (server, recorder) = (GatedServer(), Recorder())
    let agent = server.agent()
    agent.maxRequestsPerOrigin = 0
    let batches = (0..<4).map { group in
      agent.start(UniformBatch((0..<5).map { Member(path: "g\(group)-\($0)", recorder: recorder) }))
    }
    let single = agent.start(Member(path: "single", recorder: recorder))
    for group in 0..<4 { for member in 0..<5 { try await server.arrival(of: "g\(group)-\(member)") } }
    try await server.arrival(of: "single")
    #expect(agent.liveCount == 21)
    agent.cancelAll()
    for batch in batches {
      let error = try await #require(throws: RequestError.self) { try await batch.value }
      #expect(error.kind == .cancelled && error.reason == "the agent cancelled all its requests")
    }
    await #expect(throws: RequestError.self) { try await single.value }
    #expect(recorder.events.filter { $0.hasSuffix(" cancelled") }.count == 21)
    #expect(!recorder.events.contains { $0.hasSuffix(" success") })
    #expect(agent.liveCount == 0 && agent.groups.count == 0)
  }

  private func expectCancelled<Value: Sendable>(
    _ canceller: CancellationTests.Canceller, _ value: @Sendable () async throws -> Value
  ) async {
    do {
      _ = try await value()
      Issue.record("it was not cancelled")
    } catch is CancellationError {
      #expect(canceller == .task)
    } catch {
      #expect(canceller != .task && (error as? RequestError)?.kind == .cancelled)
    }
  }
}
