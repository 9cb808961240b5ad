import Errand
import Foundation
import Testing

@Suite("The order of a dispatch")
struct LifecycleOrderTests {
  let recorder = Recorder()

  func agent(_ steps: ProbeTransport.Step...) -> RequestAgent { .probing(recorder, steps) }

  @Test("A success runs every stage once, in the order of Stage")
  func success() async throws {
    let request = StageProbe(
      recorder: recorder, accessories: [RecordingAccessory(recorder: recorder, name: "own")])
    let value = try await agent(.answer(200)).send(request)

    #expect(value == "ok")
    #expect(
      recorder.events == [
        "accessory.willStart", "own.willStart",
        "accessory.attemptWillStart 1", "own.attemptWillStart 1",
        "build",
        "request.filterRequest 1", "agent.filterRequest 1",
        "accessory.attemptWillSend 1", "own.attemptWillSend 1",
        "transport",
        "validate.head 1", "validate.body 1",
        "request.filterResponse 1", "agent.filterResponse 1",
        "decode 1",
        "accessory.attemptDidStop 1", "own.attemptDidStop 1",
        "request.preprocess success", "agent.preprocess success",
        "accessory.willStop", "own.willStop",
        "request.filter success", "agent.filter success",
        "request.completed success", "agent.completed success",
        "accessory.didStop success", "own.didStop success",
      ])
  }

  @Test("The cases of Stage are in the order of execution")
  func stagesAgree() async throws {
    _ = try? await agent(.answer(200)).send(
      StageProbe(recorder: recorder, failing: "decode").with(\.cookies, .store(CookieWitness.store()))
        .with(\.authentication, .with(CookieWitness(recorder: recorder))))
    let seen = recorder.events.compactMap { event in
      Stage.allCases.first { event.contains($0.rawValue) }
    }
    let firsts = seen.reduce(into: [Stage]()) { if !$0.contains($1) { $0.append($1) } }
    // The three stages that only wait run no hook.
    #expect(firsts == Stage.allCases.filter { ![.serialGate, .throttle, .hostSlot].contains($0) })
  }

  @Test("Cookies are added after the hooks and before signing, anew at each hop")
  func cookies() async throws {
    struct Hook: RequestHooks {
      let recorder: Recorder
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        recorder.add("filterRequest \(request.headers["Cookie"] ?? "none")")
      }
    }
    var configuration = AgentConfiguration()
    configuration.cookies = CookieWitness.store()
    configuration.authenticator = CookieWitness(recorder: recorder)
    let agent = RequestAgent(
      baseURL: "http://example.com",
      transport: ProbeTransport(recorder, [.redirect(307, to: "/next"), .answer(200)]),
      hooks: [Hook(recorder: recorder)], configuration: configuration)
    try await agent.send(.get("probe"))
    let hop = ["filterRequest none", "cookies a=1", "authenticate 1", "transport"]
    #expect(recorder.events == hop + hop)
    let stages = Stage.allCases
    let place = try #require(stages.firstIndex(of: .cookies))
    #expect(stages[place - 1] == .hostSlot && stages[place + 1] == .authenticate)
  }

  /// The failing stage, the error kind, and the events between `build` and the verdict.
  static let failures: [(String, Stage, RequestError.Kind, [String])] = [
    ("build", .build, .invalidURL, []),
    ("filterRequest", .filterRequest, .hook, ["request.filterRequest 1"]),
    (
      "validate.head", .validate, .validation,
      [
        "request.filterRequest 1", "agent.filterRequest 1", "accessory.attemptWillSend 1", "transport",
        "validate.head 1",
      ]
    ),
    (
      "validate.body", .validate, .validation,
      [
        "request.filterRequest 1", "agent.filterRequest 1", "accessory.attemptWillSend 1", "transport",
        "validate.head 1", "validate.body 1",
      ]
    ),
    (
      "filterResponse", .filterResponse, .hook,
      [
        "request.filterRequest 1", "agent.filterRequest 1", "accessory.attemptWillSend 1", "transport",
        "validate.head 1", "validate.body 1", "request.filterResponse 1",
      ]
    ),
    (
      "decode", .decode, .decoding,
      [
        "request.filterRequest 1", "agent.filterRequest 1", "accessory.attemptWillSend 1", "transport",
        "validate.head 1", "validate.body 1", "request.filterResponse 1", "agent.filterResponse 1",
        "decode 1",
      ]
    ),
  ]

  @Test("A failure ends the attempt at its stage and skips the remaining stages", arguments: failures)
  func failure(_ row: (String, Stage, RequestError.Kind, [String])) async throws {
    let (failing, stage, kind, middle) = row
    let error = try await #require(throws: RequestError.self) {
      try await agent(.answer(200)).send(StageProbe(recorder: recorder, failing: failing))
    }
    #expect(error.stage == stage)
    #expect(error.kind == kind)
    if failing != "build" { #expect(error.cause(as: ProbeError.self) == ProbeError(stage: failing)) }
    #expect(
      recorder.events
        == ["accessory.willStart", "accessory.attemptWillStart 1", "build"] + middle + [
          "request.retryDecision \(kind)", "agent.retryDecision \(kind)",
          "accessory.attemptDidStop 1",
          "request.preprocess failure \(kind)", "agent.preprocess failure \(kind)",
          "accessory.willStop",
          "request.filter failure \(kind)", "agent.filter failure \(kind)",
          "request.completed failure \(kind)", "agent.completed failure \(kind)",
          "accessory.didStop failure \(kind)",
        ])
  }

  @Test("Build hooks run once per attempt, accessories once per dispatch")
  func retry() async throws {
    let agent = agent(.answer(503), .failure(.init(.connectionLost, "cut")), .answer(200))
    let request = StageProbe(recorder: recorder, retryPolicy: .upTo(5, backoff: .constant()))
    #expect(try await agent.send(request) == "ok")

    func attempt(_ n: Int, _ middle: [String]) -> [String] {
      [
        "accessory.attemptWillStart \(n)", "build", "request.filterRequest \(n)", "agent.filterRequest \(n)",
        "accessory.attemptWillSend \(n)", "transport",
      ] + middle + ["accessory.attemptDidStop \(n)"]
    }
    #expect(
      recorder.events
        == ["accessory.willStart"]
        + attempt(1, ["request.retryDecision status", "agent.retryDecision status"])
        + attempt(2, ["request.retryDecision connectionLost", "agent.retryDecision connectionLost"])
        + attempt(
          3,
          [
            "validate.head 3", "validate.body 3", "request.filterResponse 3", "agent.filterResponse 3",
            "decode 3",
          ])
        + [
          "request.preprocess success", "agent.preprocess success", "accessory.willStop",
          "request.filter success", "agent.filter success", "request.completed success",
          "agent.completed success", "accessory.didStop success",
        ])
  }

  @Test("The completion handler of start runs after completed and before the last event")
  func completion() async throws {
    let handle = agent(.answer(200)).start(StageProbe(recorder: recorder)) { [recorder] outcome in
      MainActor.assertIsolated()
      recorder.add("completion \(outcome.word)")
    }
    #expect(try await handle.value == "ok")
    #expect(
      recorder.events.suffix(3) == [
        "agent.completed success", "completion success", "accessory.didStop success",
      ])
  }
}
