import Foundation
import Testing

@testable import Errand

/// Sleeps take an hour, unless cancelled.
struct EndlessClock: Clock {
  let recorder: Recorder
  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    recorder.add("wait")
    try await Task.sleep(for: .seconds(3600))
  }
}

/// Ignores cancellation.
private struct WaitingHook: RequestHooks {
  let recorder: Recorder
  let waits: OneTime<Bool>
  let gate: OneTime<Bool>

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    recorder.add("hook waits")
    waits.set(true)
    _ = await Task { [gate] in try? await gate.wait() }.value
    recorder.add("hook done")
  }
}

@Suite("Cancellation in each phase")
struct CancellationTests {
  enum Canceller: CaseIterable { case task, handle, agent }

  /// The events from `willStart` to the end of the attempts.
  struct Phase: CustomTestStringConvertible, Sendable {
    let name: String
    let event: String
    var step = ProbeTransport.Step.answer(200)
    var policy = RetryPolicy.none
    let events: [String]
    var testDescription: String { name }
  }

  static let sent = [
    "accessory.attemptWillStart 1", "build", "request.filterRequest 1", "agent.filterRequest 1",
    "accessory.attemptWillSend 1",
  ]
  static let received = sent + ["transport", "validate.head 1"]

  static let phases = [
    Phase(name: "before the first attempt", event: "accessory.willStart", events: []),
    Phase(
      name: "building", event: "build",
      events: [
        "accessory.attemptWillStart 1", "build", "request.filterRequest 1", "accessory.attemptDidStop 1",
      ]),
    Phase(
      name: "in the request's hook", event: "request.filterRequest 1",
      events: sent.prefix(3) + ["accessory.attemptDidStop 1"]),
    Phase(
      name: "in the last accessory before the wire", event: "accessory.attemptWillSend 1",
      events: sent + ["accessory.attemptDidStop 1"]),
    Phase(
      name: "in flight", event: "transport", step: .silence,
      events: sent + ["transport", "silence", "accessory.attemptDidStop 1"]),
    Phase(
      name: "in flight, on a transport that answers all the same", event: "transport",
      events: sent + ["transport", "accessory.attemptDidStop 1"]),
    Phase(
      name: "receiving", event: "silence", step: .halfBody,
      events: received + ["silence", "accessory.attemptDidStop 1"]),
    Phase(
      name: "in filterResponse", event: "request.filterResponse 1",
      events: received + ["validate.body 1", "request.filterResponse 1", "accessory.attemptDidStop 1"]),
    Phase(
      name: "decoding", event: "decode 1",
      events: received + [
        "validate.body 1", "request.filterResponse 1", "agent.filterResponse 1", "decode 1",
        "accessory.attemptDidStop 1",
      ]),
    Phase(
      name: "in a retry wait", event: "wait", step: .answer(503),
      policy: .upTo(3, backoff: .constant(.seconds(60))),
      events: sent + [
        "transport", "request.retryDecision status", "agent.retryDecision status",
        "accessory.attemptDidStop 1", "wait",
      ]),
  ]

  static let end = [
    "request.preprocess cancelled", "agent.preprocess cancelled", "accessory.willStop",
    "request.completed cancelled", "agent.completed cancelled", "accessory.didStop cancelled",
  ]

  @Test(
    "The dispatch ends as cancelled once, with balanced accessories and without filter",
    arguments: phases, Canceller.allCases)
  func phase(_ phase: Phase, _ canceller: Canceller) async throws {
    let recorder = Recorder()
    try await run(phase.event, phase.step, phase.policy, canceller, recorder)
    #expect(recorder.events == ["accessory.willStart"] + phase.events + Self.end)
  }

  @Test("A cancellation in preprocess turns a success into cancelled", arguments: Canceller.allCases)
  func inPreprocess(_ canceller: Canceller) async throws {
    let recorder = Recorder()
    try await run("request.preprocess success", .answer(200), .none, canceller, recorder)
    #expect(
      recorder.events.suffix(6) == [
        "request.preprocess success", "agent.preprocess success", "accessory.willStop",
        "request.completed cancelled", "agent.completed cancelled", "accessory.didStop cancelled",
      ])
  }

  @Test(
    "A cancellation in filter counts, because the outcome is fixed when filter returns",
    arguments: Canceller.allCases)
  func inFilter(_ canceller: Canceller) async throws {
    let recorder = Recorder()
    try await run("agent.filter success", .answer(200), .none, canceller, recorder)
    #expect(
      recorder.events.suffix(5) == [
        "request.filter success", "agent.filter success", "request.completed cancelled",
        "agent.completed cancelled", "accessory.didStop cancelled",
      ])
  }

  @Test("A cancellation after filter changes nothing", arguments: Canceller.allCases)
  func inCompleted(_ canceller: Canceller) async throws {
    let recorder = Recorder()
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let running = Running(agent, StageProbe(recorder: recorder), canceller)
    recorder.on("request.completed success") { running.cancel() }
    #expect(try await running.value == "ok")
    #expect(
      recorder.events.suffix(3) == [
        "request.completed success", "agent.completed success", "accessory.didStop success",
      ])
  }

  @Test(
    "A waiting hook of a cancelled dispatch is awaited, not abandoned",
    arguments: Canceller.allCases)
  func awaited(_ canceller: Canceller) async throws {
    let recorder = Recorder()
    let (waits, gate) = (OneTime<Bool>(), OneTime<Bool>())
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: ProbeTransport(recorder, [.answer(200)]),
      hooks: [WaitingHook(recorder: recorder, waits: waits, gate: gate)])
    let running = Running(agent, StageProbe(recorder: recorder), canceller)
    let value = Task { try await running.value }
    _ = try await waits.wait()
    running.cancel()
    #expect(agent.liveCount == 1)
    gate.set(true)
    await #expect(throws: (any Error).self) { try await value.value }
    #expect(
      recorder.events == [
        "build", "request.filterRequest 1", "hook waits", "hook done", "request.preprocess cancelled",
        "request.completed cancelled",
      ])
    #expect(agent.liveCount == 0)
  }

  @Test("A task cancelled before its call sends nothing and does not hang")
  func beforeTheCall() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await agent.send(StageProbe(recorder: recorder))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(recorder.events == ["accessory.willStart"] + Self.end)
    #expect(agent.liveCount == 0)
  }

  private func run(
    _ event: String, _ step: ProbeTransport.Step, _ policy: RetryPolicy, _ canceller: Canceller,
    _ recorder: Recorder
  ) async throws {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(EndlessClock(recorder: recorder))
    let agent = RequestAgent.probing(recorder, [step], configuration: configuration)
    let running = Running(agent, StageProbe(recorder: recorder, retryPolicy: policy), canceller)
    recorder.on(event) { running.cancel() }
    if canceller == .task {
      await #expect(throws: CancellationError.self) { try await running.value }
    } else {
      let error = try await #require(throws: RequestError.self) { try await running.value }
      #expect(error.kind == .cancelled)
    }
    #expect(agent.liveCount == 0)
  }
}
