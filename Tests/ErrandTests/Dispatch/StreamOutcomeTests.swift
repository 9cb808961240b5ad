import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Streams: hooks of the outcome")
struct StreamOutcomeTests {
  /// `filter` maps failures.
  private struct Mapped<Response: Sendable>: Request {
    let recorder: Recorder
    let responseSerializer: any ResponseSerializer<Response>
    let path = "x"

    func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async {
      recorder.add("preprocess \(outcome.word)")
    }
    func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response> {
      recorder.add("filter \(outcome.word)")
      guard case .failure(var error) = outcome else { return outcome }
      error.reason = "mapped"
      return .failure(error)
    }
    func completed(_ outcome: Outcome<Response>, context: RequestContext) async {
      recorder.add("completed \(outcome.word)")
    }
    func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async {
      recorder.add("streamed \(outcome.word) \(outcome.value?.trailers["Checksum"] ?? "-")")
    }
  }

  /// Turns each failure into a success if possible, and each success into a failure.
  private struct Contrary: RequestHooks {
    func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
      if case .success = outcome {
        return .failure(RequestError(.hook, "refused at the end, token=s3cret"))
      }
      let stand = HTTPResponse(status: 203, headers: ["X": "made up"], body: Data("stand-in".utf8))
      return (stand as? Value).map { .success($0) } ?? outcome
    }
  }

  private let recorder = Recorder()

  private func words<Value: Sendable>(
    _ serializer: any ResponseSerializer<Value>, _ answer: MockAnswer
  ) async throws -> [String] {
    let agent = RequestAgent.mocked(by: MockTransport { _ in answer })
    let recorder = Recorder()
    do {
      _ = try await agent.stream(Mapped(recorder: recorder, responseSerializer: serializer)).body.all()
    } catch {
      recorder.add("\((error as? RequestError)?.reason ?? "")")
    }
    return recorder.events
  }

  @Test(
    "Outcome hooks for Streamed get every success, and typed hooks get values of the response or Void"
  )
  func own() async throws {
    let success = ["preprocess success", "filter success", "completed success", "streamed success 5"]
    let failure = [
      "preprocess failure status", "filter failure status", "completed failure status",
      "streamed failure status -", "mapped",
    ]
    let answer = MockAnswer.text("ok").trailers(["Checksum": "5"])
    #expect(try await words(.response, answer) == success)
    #expect(try await words(.none, answer) == success)
    #expect(try await words(.text, answer) == ["streamed success 5"])
    #expect(try await words(.response, .status(500)) == failure)
    #expect(try await words(.none, .status(500)) == failure)
    #expect(try await words(.text, .status(500)) == failure)
  }

  @Test("Hooks for Streamed get abandoned streams, also with overrides, and no other dispatches")
  func streamed() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .chunks([Data("a".utf8), Data("b".utf8)]) })
    let request = Mapped<String>(recorder: recorder, responseSerializer: .text)
    _ = try await agent.send(request)
    #expect(!recorder.events.contains { $0.hasPrefix("streamed") })

    let response = try await agent.stream(request.with(\.timeout, .seconds(9)))
    for try await _ in response.body { break }
    await until { agent.liveCount == 0 }
    #expect(recorder.events.filter { $0.hasPrefix("streamed") } == ["streamed cancelled -"])
  }

  @Test("A hook can replace a failure before the head with a response and its body")
  func recovered() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .status(500) }, hooks: [Contrary()])
    let response = try await agent.stream(.get("x"))
    #expect(response.head.status == 203 && response.head.headers["X"] == "made up")
    #expect(response.report?.outcome.word == "success")
    #expect(agent.liveCount == 0)
    #expect(try await response.body.all() == Data("stand-in".utf8))
  }

  @Test("After the head no hook can recover, and missing bytes stay missing")
  func notRecovered() async throws {
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: ProbeTransport(recorder, [.cutBody]), hooks: [Contrary()])
    let response = try await agent.stream(.get("x"))
    let error = try await #require(throws: RequestError.self) { try await response.body.all() }
    #expect(error.kind == .connectionLost)
    #expect(response.report?.outcome.error?.kind == .connectionLost)
  }

  @Test(
    "A task cancelled during its stream's filter ends as cancelled",
    arguments: ["request", "agent"])
  func cancelledLate(_ whose: String) async throws {
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    // After `filter`, only the dispatch itself checks the task for cancellation.
    recorder.on("\(whose).filter success") { withUnsafeCurrentTask { $0?.cancel() } }
    let reading = Task {
      let response = try await agent.stream(StreamProbe(recorder: recorder))
      for try await _ in response.body {}
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(
      recorder.events.suffix(5) == [
        "request.filter success", "agent.filter success", "request.completed cancelled",
        "agent.completed cancelled", "accessory.didStop cancelled",
      ])
  }

  @Test("A hook that refuses the end of a body makes the loop throw")
  func refused() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("ok") }, hooks: [Contrary()])
    let response = try await agent.stream(.get("x"))
    var chunks = response.body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("ok".utf8))
    let error = try await #require(throws: RequestError.self) { try await chunks.next() }
    #expect(error.kind == .hook && !"\(error)".contains("s3cret"))
    #expect(response.report?.outcome.word == "failure hook")
  }
}
