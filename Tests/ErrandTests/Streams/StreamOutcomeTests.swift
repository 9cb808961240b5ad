import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Streams: hooks of the outcome")
struct StreamOutcomeTests {
  /// A request of some value whose `filter` maps failures and whose calls are written down.
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
  }

  /// Gives a made-up response for a failure, and refuses a success.
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

  @Test("The request's own see a success only where their value is the response, or nothing")
  func own() async throws {
    let success = ["preprocess success", "filter success", "completed success"]
    let failure = [
      "preprocess failure status", "filter failure status", "completed failure status", "mapped",
    ]
    #expect(try await words(.response, .text("ok")) == success)
    #expect(try await words(.none, .text("ok")) == success)
    #expect(try await words(.text, .text("ok")) == [])
    #expect(try await words(.response, .status(500)) == failure)
    #expect(try await words(.none, .status(500)) == failure)
    #expect(try await words(.text, .status(500)) == failure)
  }

  @Test("A hook may make a response of a failure before the head, with the body it gives")
  func recovered() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .status(500) }, hooks: [Contrary()])
    let response = try await agent.stream(.get("x"))
    #expect(response.head.status == 203 && response.head.headers["X"] == "made up")
    #expect(response.report?.outcome.word == "success")
    #expect(agent.liveCount == 0)
    #expect(try await response.body.all() == Data("stand-in".utf8))
  }

  @Test("After it no hook can: the missing bytes stay missing")
  func notRecovered() async throws {
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: ProbeTransport(recorder, [.cutBody]), hooks: [Contrary()])
    let response = try await agent.stream(.get("x"))
    let error = try await #require(throws: RequestError.self) { try await response.body.all() }
    #expect(error.kind == .connectionLost)
    #expect(response.report?.outcome.error?.kind == .connectionLost)
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
