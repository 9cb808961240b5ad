import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A dispatch at three depths of mocking")
struct ThreeDepthsTests {
  struct Scene: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let outcome: String
    /// The throwing stage.
    var failing = ""
    /// The responses before or instead of the final response.
    var before: [MockAnswer] = []
    var status: HTTPResponse.Status = 200

    init(
      _ name: String, _ outcome: String, failing: String = "", before: [MockAnswer] = [],
      status: HTTPResponse.Status = 200
    ) {
      testDescription = name
      (self.outcome, self.failing, self.before, self.status) = (outcome, failing, before, status)
    }
  }

  static let scenes = [
    Scene("success", "ok after 1"),
    Scene("build", "invalidURL at build, 0 sent", failing: "build"),
    Scene("filterRequest", "hook at filterRequest, 0 sent", failing: "filterRequest"),
    Scene(
      "transport", "connectionLost at transport, 6 sent", before: Array(repeating: .fault(.reset), count: 6)),
    Scene(
      "truncation", "connectionLost at transport, 1 sent, 3 bytes", before: [.fault(.truncated(after: 3))]),
    Scene("status", "status at validate, 1 sent, 2 bytes", status: 404),
    Scene("validate the head", "validation at validate, 1 sent, 0 bytes", failing: "validate.head"),
    Scene("validate the body", "validation at validate, 1 sent, 2 bytes", failing: "validate.body"),
    Scene("filterResponse", "hook at filterResponse, 1 sent, 2 bytes", failing: "filterResponse"),
    Scene("decode", "decoding at decode, 1 sent, 2 bytes", failing: "decode"),
    Scene("retry", "ok after 3", before: [.fault(.reset), .status(503)]),
    Scene("redirect", "ok after 1", before: [.status(302).header("Location", "/probe?again")]),
  ]

  struct Record: Equatable {
    var events: [String]
    var outcome: String
  }

  func record(_ scene: Scene, on transport: (any Transport)?, base: URL, sent: () -> Int) async -> Record {
    let recorder = Recorder()
    let agent = RequestAgent(
      baseURL: base, transport: transport, hooks: [RecordingHooks(recorder: recorder)],
      accessories: [RecordingAccessory(recorder: recorder)])
    let policy = RetryPolicy.upTo(scene.testDescription == "truncation" ? 0 : 5, backoff: .constant())
    let request = StageProbe(recorder: recorder, failing: scene.failing, retryPolicy: policy)
    do {
      let received = try await agent.response(for: request)
      return Record(
        events: recorder.events, outcome: "\(received.value) after \(received.report.attempts.count)")
    } catch {
      let error = error as? RequestError
      let length = error?.response.map { "\($0.body.count) bytes" }
      let parts = [error.map { "\($0.kind) at \($0.stage)" }, "\(sent()) sent", length]
      return Record(events: recorder.events, outcome: parts.compactMap { $0 }.joined(separator: ", "))
    }
  }

  @Test("A typed stub, a transport's bytes and a server give the same events and outcome", arguments: scenes)
  func same(_ scene: Scene) async throws {
    let mocked = try #require(URL(string: "http://example.com"))
    let probe = StageProbe(recorder: Recorder())
    var typed = Stub(answering: probe, with: "ok", status: scene.status)
    for answer in scene.before.reversed() { typed = typed.after(answer) }
    let value = MockTransport([typed])
    let answers = scene.before + [.text("ok", status: scene.status)]
    let count = Locked(0)
    let bytes = MockTransport { _ in
      answers[
        min(
          count.withLock {
            $0 += 1; return $0
          }, answers.count) - 1]
    }
    let server = try MockServer()
    defer { server.stop() }
    let served = Locked(0)
    server.route(nil, "/*") { _ in
      answers[
        min(
          served.withLock {
            $0 += 1; return $0
          }, answers.count) - 1]
    }
    let records = [
      await record(scene, on: value, base: mocked) { value.requests.count },
      await record(scene, on: bytes, base: mocked) { bytes.requests.count },
      await record(scene, on: nil, base: server.baseURL) { server.requestCount },
    ]
    #expect(records.map(\.outcome) == Array(repeating: scene.outcome, count: 3))
    #expect(records[0].events == records[1].events && records[1].events == records[2].events)
    #expect(records[0].events.count > 8)
  }
}
