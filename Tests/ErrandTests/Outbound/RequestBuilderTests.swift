import Foundation
import Testing

@testable import Errand

@Suite("Building a request")
struct RequestBuilderTests {
  struct Setting: RequestHooks {
    var body: RequestBody
    var type: String?

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      request.body = body
      if let type { request.headers["Content-Type"] = type }
    }
  }

  static func contentType(_ request: some Request, _ hook: Setting) async throws -> [String] {
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://example.com", transport: transport, hooks: [hook])
    _ = try await agent.send(request)
    return transport.requests[0].headers.values(for: "Content-Type")
  }

  @Test("A body that a hook puts in place of another brings its Content-Type along")
  func replaced() async throws {
    let form = OneOffRequest<Void>.post("a", parameters: ["a": 1])
    #expect(try await Self.contentType(form, Setting(body: .json(["a": 1]))) == ["application/json"])
    #expect(
      try await Self.contentType(form, Setting(body: .data(Data("zipped".utf8)))) == [
        "application/x-www-form-urlencoded"
      ])
  }

  @Test("A Content-Type that somebody chose stays, whatever body a hook puts in")
  func chosen() async throws {
    let form = OneOffRequest<Void>.post("a", parameters: ["a": 1])
    let chosen = form.with(\.headers, ["Content-Type": "application/vnd.a+json"])
    #expect(try await Self.contentType(chosen, Setting(body: .json(1))) == ["application/vnd.a+json"])
    #expect(try await Self.contentType(form, Setting(body: .json(1), type: "text/x")) == ["text/x"])
  }

  @Test("Each member is read once an attempt, so that a computed one cannot change on the way")
  func readOnce() async throws {
    struct Counting: Request {
      typealias Response = Void
      let recorder: Recorder
      let method = HTTPMethod.post
      var body: RequestBody {
        recorder.add("body")
        return .text("a")
      }
      var parameters: Parameters {
        recorder.add("parameters")
        return ["a": 1]
      }
      var query: Parameters {
        recorder.add("query")
        return ["b": 2]
      }
      var headers: HTTPHeaders {
        recorder.add("headers")
        return [:]
      }
    }
    let recorder = Recorder()
    try await RequestAgent(baseURL: "http://example.com", transport: FunctionTransport())
      .send(Counting(recorder: recorder))
    #expect(recorder.events.sorted() == ["body", "headers", "parameters", "query"])
  }
}
