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

  @Test("A body replaced by a hook brings its Content-Type")
  func replaced() async throws {
    let form = OneOffRequest<Void>.post("a", parameters: ["a": 1])
    #expect(try await Self.contentType(form, Setting(body: .json(["a": 1]))) == ["application/json"])
    #expect(
      try await Self.contentType(form, Setting(body: .data(Data("zipped".utf8)))) == [
        "application/x-www-form-urlencoded"
      ])
  }

  @Test("An explicit Content-Type stays for any body from a hook")
  func chosen() async throws {
    let form = OneOffRequest<Void>.post("a", parameters: ["a": 1])
    let chosen = form.with(\.headers, ["Content-Type": "application/vnd.a+json"])
    #expect(try await Self.contentType(chosen, Setting(body: .json(1))) == ["application/vnd.a+json"])
    #expect(try await Self.contentType(form, Setting(body: .json(1), type: "text/x")) == ["text/x"])
  }

  /// The agent has the base URL `https://api.example/v1`, and in some rows a CDN.
  struct Placed: Request {
    typealias Response = Void
    let path = "a/b"
    var baseURL: URL?
    var usesCDN = false
    var cdnURL: URL?
  }

  private static let (own, ownCDN, agentsCDN) = (
    URL(string: "https://own.example/v2"), URL(string: "https://own-cdn.example/x"),
    URL(string: "https://cdn.example/y/")
  )

  /// A request, the agent's CDN, the URL of the request, and the explanation of the base.
  static let places: [(Placed, URL?, String, String)] = [
    (Placed(), agentsCDN, "https://api.example/v1/a/b", "base: https://api.example/v1 (agent)"),
    (Placed(cdnURL: ownCDN), agentsCDN, "https://api.example/v1/a/b", "base: https://api.example/v1 (agent)"),
    (
      Placed(baseURL: own), agentsCDN, "https://own.example/v2/a/b",
      "base: https://own.example/v2 (request)"
    ),
    (
      Placed(usesCDN: true), agentsCDN, "https://cdn.example/y/a/b",
      "CDN base: https://cdn.example/y/ (agent)"
    ),
    (
      Placed(usesCDN: true, cdnURL: ownCDN), agentsCDN, "https://own-cdn.example/x/a/b",
      "CDN base: https://own-cdn.example/x (request)"
    ),
    (
      Placed(usesCDN: true, cdnURL: ownCDN), nil, "https://own-cdn.example/x/a/b",
      "CDN base: https://own-cdn.example/x (request)"
    ),
    (
      Placed(baseURL: own, usesCDN: true), agentsCDN, "https://cdn.example/y/a/b",
      "CDN base: https://cdn.example/y/ (agent)"
    ),
  ]

  @Test(
    "A path is resolved against the request's base or CDN, otherwise against the agent's",
    arguments: places)
  func place(_ row: (Placed, URL?, String, String)) async throws {
    let transport = FunctionTransport()
    var configuration = AgentConfiguration()
    configuration.cdnURL = row.1
    let agent = RequestAgent(
      baseURL: "https://api.example/v1", transport: transport, configuration: configuration)
    _ = try await agent.send(row.0)
    #expect(transport.requests.map(\.url.absoluteString) == [row.2])
    let told = try await agent.explain(row.0)
    #expect(told.request.url.absoluteString == row.2)
    #expect(told.settings.first.map { "\($0.name): \($0.value) (\($0.source))" } == row.3)
  }

  @Test("Each member is read once per attempt, so a computed member cannot change")
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
