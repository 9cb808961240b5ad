import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Streams: the order of a dispatch")
struct StreamOrderTests {
  let recorder = Recorder()

  func agent(_ steps: ProbeTransport.Step...) -> RequestAgent { .probing(recorder, steps) }

  func read(_ response: StreamedResponse) async throws {
    for try await chunk in response.body { recorder.add("chunk \(String(decoding: chunk, as: UTF8.self))") }
    recorder.add("loop ended")
  }

  @Test("The head comes first, then the body, and the outcome hooks run before the loop ends")
  func success() async throws {
    let agent = agent(.answer(200))
    let response = try await agent.stream(StreamProbe(recorder: recorder))
    recorder.add("head")
    #expect(response.head.status == 200 && response.head.body.isEmpty)
    #expect(response.head.headers["X-Filtered"] == "yes")
    #expect(response.head.url?.absoluteString == "http://example.com/probe")
    #expect(response.report == nil)
    #expect(agent.liveCount == 1)

    try await read(response)
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.opened() + ["head", "chunk ok"]
        + StreamProbe.ended("success") + ["loop ended"])
    #expect(agent.liveCount == 0)
    let report = try #require(response.report)
    #expect(report.attempts.map(\.bodyLength) == [2])
    #expect(report.outcome.word == "success")
  }

  @Test("The stages run in the order of Stage, without decode")
  func stagesAgree() async throws {
    let authentication = Authentication.with(CookieWitness(recorder: recorder))
    try await read(
      agent(.answer(200)).stream(
        StreamProbe(recorder: recorder).with(\.authentication, authentication)
          .with(\.cookies, .store(CookieWitness.store()))))
    let seen = recorder.events.compactMap { event in
      Stage.allCases.first { event.contains($0.rawValue) }
    }
    let last = seen.lastIndex(of: .retry).map { seen[($0 + 1)...] } ?? seen[...]
    let firsts = last.reduce(into: [Stage]()) { if !$0.contains($1) { $0.append($1) } }
    let unseen: [Stage] = [.serialGate, .build, .throttle, .hostSlot, .decode, .retry]
    #expect(firsts == Stage.allCases.filter { !unseen.contains($0) })
  }

  @Test("Redirects are followed before the head")
  func redirect() async throws {
    let response = try await agent(.redirect(307, to: "/next"), .answer(200))
      .stream(StreamProbe(recorder: recorder))
    try await read(response)
    let hop = Array(StreamProbe.attemptBegun().dropFirst())
    #expect(
      recorder.events == ["accessory.willStart"]
        + StreamProbe.opened(transport: ["transport", "agent.redirectDecision 1"] + hop + ["transport"])
        + ["chunk ok"] + StreamProbe.ended("success") + ["loop ended"])
    #expect(response.head.url?.path == "/next")
    #expect(response.report?.attempts.first?.redirects.count == 1)
  }

  @Test("An attempt with a failed or refused head is retried")
  func retry() async throws {
    let agent = agent(.answer(503, "busy"), .failure(.init(.connectionLost, "cut")), .answer(200))
    let response = try await agent.stream(
      StreamProbe(recorder: recorder, retryPolicy: .upTo(5, backoff: .constant())))
    try await read(response)
    func failed(_ attempt: Int, _ kind: String) -> [String] {
      StreamProbe.attemptBegun(attempt) + [
        "transport", "request.retryDecision \(kind)", "agent.retryDecision \(kind)",
        "accessory.attemptDidStop \(attempt)",
      ]
    }
    #expect(
      recorder.events == ["accessory.willStart"] + failed(1, "status") + failed(2, "connectionLost")
        + StreamProbe.opened(3) + ["chunk ok"] + StreamProbe.ended("success", 3) + ["loop ended"])
    #expect(response.report?.attempts.map(\.bodyLength) == [4, 0, 2])
  }

  @Test("A refused head is the error of send, with its body")
  func refused() async throws {
    let agent = agent(.answer(503, "busy"))
    let error = try await #require(throws: RequestError.self) {
      try await agent.stream(StreamProbe(recorder: recorder))
    }
    #expect(error.kind == .status && error.stage == .validate && error.attempts == 1)
    #expect(error.response?.body == Data("busy".utf8))
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.attemptBegun() + [
        "transport", "request.retryDecision status", "agent.retryDecision status",
      ] + StreamProbe.ended("failure status"))
    #expect(agent.liveCount == 0)
  }

  @Test("An error of filterResponse ends the attempt and its transfer before the head is delivered")
  func filterResponse() async throws {
    let agent = agent(.halfBody)
    let error = try await #require(throws: RequestError.self) {
      try await agent.stream(StreamProbe(recorder: recorder, failing: "filterResponse"))
    }
    #expect(error.kind == .hook && error.stage == .filterResponse)
    #expect(error.cause(as: ProbeError.self) == ProbeError(stage: "filterResponse"))
    #expect(agent.liveCount == 0)
  }

  @Test(
    "A body that breaks off is never retried, and the loop throws the error after the outcome hooks"
  )
  func cut() async throws {
    let agent = agent(.cutBody)
    let response = try await agent.stream(
      StreamProbe(recorder: recorder, retryPolicy: .upTo(5).when { _ in true }))
    let error = try await #require(throws: RequestError.self) { try await read(response) }
    #expect(
      recorder.events == ["accessory.willStart"] + StreamProbe.opened() + ["chunk half"]
        + StreamProbe.ended("failure connectionLost"))
    #expect(error.kind == .connectionLost && error.stage == .transport && error.attempts == 1)
    #expect(error.response?.status == 200)
    #expect(
      "\(error)".hasPrefix(
        "GET http://example.com/probe failed: cut, token=<redacted>.\nStage transport, attempt 1, after "))
    #expect("\(error)".contains("\nResponse: 200 OK, 4 bytes read\n"))
    #expect(response.report?.attempts.first?.bodyLength == 4)
    #expect(response.report?.attempts.first?.failure?.kind == .connectionLost)
    #expect(agent.liveCount == 0)
  }
}
