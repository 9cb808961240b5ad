import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Streams: what they give")
struct StreamValueTests {
  private static let chunks = ["he", "ll", "o"].map { Data($0.utf8) }

  private static func limits(_ bytes: Int) -> TransferLimits {
    var limits = TransferLimits()
    limits.bodySize = bytes
    return limits
  }

  @Test("The chunks as they came; length and trailers are in the report at the end")
  func report() async throws {
    let agent = RequestAgent.mocked(
      Stub(.get, "/x", answers: .chunks(Self.chunks).trailers(["Checksum": "5"])))
    let response = try await agent.stream(.get("x"))
    #expect(response.head.trailers == [:])
    var read: [Data] = []
    for try await chunk in response.body { read.append(chunk) }
    #expect(read == Self.chunks)
    let report = try #require(response.report)
    #expect(report.attempts.map(\.bodyLength) == [5])
    #expect(report.response?.trailers == ["Checksum": "5"])
    #expect(report.response?.body.isEmpty == true)
    #expect(response.body.summary.trailers == ["Checksum": "5"])
  }

  @Test("A data URL, and a body that is empty")
  func small() async throws {
    let agent = RequestAgent.mocked(Stub(.get, "/x", answers: .status(204)))
    #expect(try await agent.stream(.get("data:text/plain,hello")).body.all() == Data("hello".utf8))
    let response = try await agent.stream(.get("x"))
    #expect(try await response.body.all() == Data())
    #expect(response.report?.outcome.value != nil)
    #expect(agent.liveCount == 0)
  }

  @Test("A request of any value can be streamed; it asks for what it would decode")
  func anyValue() async throws {
    struct Numbers: Request {
      typealias Response = [Int]
      let path = "x"
      var validators: [any ResponseValidator] {
        [.contentType, .json(["a": .integer]), .validate { _, _ in throw ProbeError(stage: "body") }]
      }
    }
    let transport = MockTransport { _ in .json("[1,2]") }
    let agent = RequestAgent.mocked(by: transport)
    #expect(try await agent.stream(Numbers()).body.all() == Data("[1,2]".utf8))
    #expect(transport.requests.first?.headers["Accept"] == "application/json")
    let text = RequestAgent.mocked(by: MockTransport { _ in .text("[1,2]") })
    let error = try await #require(throws: RequestError.self) { try await text.stream(Numbers()) }
    #expect(error.kind == .contentType && error.response?.body == Data("[1,2]".utf8))
  }

  @Test("A limit on the size of the body holds, and the chunk that breaks it is not given")
  func bodySize() async throws {
    let transport = MockTransport { _ in .chunks(Self.chunks) }
    let agent = RequestAgent.mocked(by: transport)
    let request = OneOffRequest.get("x").with(\.retryPolicy, .upTo(3))
    #expect(try await agent.stream(request.with(\.limits, Self.limits(5))).body.all().count == 5)

    let response = try await agent.stream(request.with(\.limits, Self.limits(4)))
    var read = Data()
    let error = try await #require(throws: RequestError.self) {
      for try await chunk in response.body { read.append(chunk) }
    }
    #expect(error.kind == .limitExceeded && error.stage == .transport && error.attempts == 1)
    #expect(error.reason == "the body is longer than limits.bodySize, 4 bytes")
    #expect(read == Data("hell".utf8))
    #expect(response.report?.attempts.map(\.bodyLength) == [4])
    #expect(agent.liveCount == 0)
  }

  @Test("A body is read once: a second reader gets an error and disturbs nobody")
  func twice() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .chunks(Self.chunks) })
    let response = try await agent.stream(.get("x?token=s3cret"))
    var first = response.body.makeAsyncIterator()
    #expect(try await first.next() == Data("he".utf8))
    let error = try await #require(throws: RequestError.self) { try await response.body.all() }
    #expect(error.reason == "the body of the response can be read once, and was read before")
    #expect(!"\(error)".contains("s3cret"))
    #expect(try await first.next() == Data("ll".utf8))
    #expect(try await first.next() == Data("o".utf8))
    #expect(try await first.next() == nil)
    await #expect(throws: RequestError.self) { try await response.body.all() }
    #expect(response.report?.outcome.word == "success")
  }

  @Test("What is printed of a response has neither fields nor bytes in it")
  func printed() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("s3cret").header("Set-Cookie", "s3cret") })
    let response = try await agent.stream(.get("x"))
    _ = try await response.body.all()
    var dumped = ""
    dump(response, to: &dumped)
    #expect("\(response)" == "200 OK, streamed" && String(reflecting: response) == "200 OK, streamed")
    #expect(!dumped.contains("s3cret"))
  }
}

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
