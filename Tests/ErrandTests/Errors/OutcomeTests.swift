import Foundation
import Testing

@testable import Errand

@Suite("Changes of an outcome")
struct OutcomeTests {
  struct AppError: Error, Equatable { var code: Int }

  struct Fetch: Request {
    typealias Response = String
    let path = "things"
    var replacement: (@Sendable (Outcome<String>) -> Outcome<String>)?
    func filter(_ outcome: Outcome<String>, context: RequestContext) async -> Outcome<String> {
      replacement?(outcome) ?? outcome
    }
  }

  static func agent(
    _ transport: FunctionTransport, hooks: [any RequestHooks] = [], accessories: [any Accessory] = []
  ) -> RequestAgent {
    RequestAgent(baseURL: "http://example.com", transport: transport, hooks: hooks, accessories: accessories)
  }

  @Test("A filter can recover a failure, even without a response")
  func recovered() async throws {
    let transport = FunctionTransport { _, _ in throw TransportError(.connectionFailed, "refused") }
    let received = try await Self.agent(transport).response(for: Fetch { _ in .success("cached") })
    #expect(received.value == "cached")
    #expect(received.response.status == 0)
    #expect(received.report.response == nil)
    #expect(received.report.attempts.map(\.failure?.kind) == [.connectionFailed])
  }

  @Test("A filter can reject a success")
  func rejected() async throws {
    let request = Fetch { _ in .failure(RequestError(.init("house"), "the answer is not ours")) }
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(FunctionTransport()).send(request)
    }
    #expect(error.kind == .init("house"))
  }

  @Test("A filter can cancel, and later filters do not get a cancelled outcome")
  func cancelled() async throws {
    let recorder = Recorder()
    let agent = Self.agent(
      FunctionTransport(), hooks: [RecordingHooks(recorder: recorder)],
      accessories: [RecordingAccessory(recorder: recorder)])
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Fetch { _ in .cancelled })
    }
    #expect(error.kind == .cancelled)
    #expect(
      recorder.events.suffix(4) == [
        "agent.preprocess success", "accessory.willStop", "agent.completed cancelled",
        "accessory.didStop cancelled",
      ])
  }

  @Test("An error of filterResponse ends the attempt with the same error, and later filters do not run")
  func filterResponse() async throws {
    struct Judging: RequestHooks {
      let recorder: Recorder
      let name: String
      var code: Int?
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        recorder.add(name)
        if let code { throw AppError(code: code) }
      }
    }
    let recorder = Recorder()
    let agent = Self.agent(
      FunctionTransport(),
      hooks: [
        Judging(recorder: recorder, name: "first", code: 1001), Judging(recorder: recorder, name: "second"),
      ])
    let error = try await #require(throws: RequestError.self) { try await agent.send(Fetch()) }
    #expect(error.cause(as: AppError.self) == AppError(code: 1001))
    #expect(error.reason == "filterResponse threw AppError(code: 1001)")
    #expect(recorder.events == ["first"])
    #expect(try await Self.agent(FunctionTransport()).send(Fetch()) == "")
  }

  @Test("A hook can change the response before decoding, and the report shows the decoded response")
  func changed() async throws {
    struct Unwrapping: RequestHooks {
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        response.body = Data("inner".utf8)
      }
    }
    let transport = FunctionTransport { _, _ in HTTPResponse(body: Data("outer".utf8)) }
    let received = try await Self.agent(transport, hooks: [Unwrapping()]).response(for: Fetch())
    #expect(received.value == "inner")
    #expect(received.response.body == Data("inner".utf8))
    #expect(received.report.response?.body == Data() && received.report.attempts.map(\.bodyLength) == [5])
  }

  @Test("The error has the request as sent, and the body up to its limit")
  func errorContent() async throws {
    struct Marking: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers["X-Mark"] = "1"
      }
    }
    let transport = FunctionTransport { _, _ in
      HTTPResponse(status: 500, body: Data(repeating: 0x65, count: 100_000))
    }
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(transport, hooks: [Marking()]).send(Fetch())
    }
    #expect(error.request?.headers["X-Mark"] == "1")
    #expect(error.response?.body.count == RequestError.bodyLimit)
    #expect(RequestError.bodyLimit == 65_536)
    #expect(error.attempts == 1)
  }

  @Test("A foreign error keeps its type as cause and its stage as kind")
  func foreignErrors() async throws {
    let transport = FunctionTransport { _, _ in throw AppError(code: 3) }
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(transport).send(Fetch())
    }
    #expect(error.kind == .transport)
    #expect(error.reason == "AppError(code: 3)")
    #expect(error.cause(as: AppError.self) == AppError(code: 3))
  }

  @Test("A CancellationError from an uncancelled hook is a failure, not a cancellation")
  func hooksCancellation() async throws {
    struct Throwing: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        throw CancellationError()
      }
    }
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(FunctionTransport(), hooks: [Throwing()]).send(Fetch())
    }
    #expect(error.kind == .hook)
  }

  @Test("Refusing head validators end the transfer before the body is read")
  func headOnly() async throws {
    struct Refusing: Request {
      typealias Response = String
      var validators: [any ResponseValidator] { [RefusingValidator()] }
    }
    struct RefusingValidator: ResponseValidator {
      func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
        .refused(Refusal("too long", kind: .init("size")))
      }
    }
    let recorder = Recorder()
    let agent = RequestAgent.probing(recorder, [.halfBody])
    let error = try await #require(throws: RequestError.self) { try await agent.send(Refusing()) }
    #expect(error.kind == .init("size"))
    #expect(error.response?.status == 200)
    #expect(error.response?.body.isEmpty == true)
    #expect(!recorder.events.contains("silence"))
  }

  @Test("A body that breaks off leaves the received bytes in the error")
  func brokenBody() async throws {
    final class Broken: BodySource {
      let given = Locked(false)
      func next() async throws -> Data? {
        let isFirst = given.withLock { given in
          defer { given = true }
          return !given
        }
        if isFirst { return Data("half".utf8) }
        throw TransportError(.connectionLost, "the connection was cut")
      }
    }
    struct Breaking: Transport {
      var capabilities: TransportCapabilities { TransportCapabilities() }
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(head: HTTPResponse(), body: BodyStream(Broken()))
      }
    }
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent(baseURL: "http://example.com", transport: Breaking()).send(Fetch())
    }
    #expect(error.kind == .connectionLost)
    #expect(error.stage == .transport)
    #expect(error.response?.body == Data("half".utf8))
  }
}
