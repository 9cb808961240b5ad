import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Hooks that decide on redirects")
struct RedirectDecisionTests {
  @Test("A stop passes the 3xx with its body to the validators, and nothing is sent")
  func stop() async throws {
    let server = try MockServer()
    server.route(
      .get, "/1", answers: .text("the page", status: 302).header("Location", "2").header("Set-Cookie", "a=b"))
    let agent = RequestAgent(baseURL: server.baseURL, hooks: [DecidingHooks { _, _, _ in .stop }])
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("1")) }
    #expect(error.kind == .status && error.status == 302)
    #expect(error.response?.body == Data("the page".utf8))
    #expect(error.response?.headers["Set-Cookie"] == "a=b")
    let lenient = OneOffRequest.get("1", as: String.self).with(\.validators, [.status(302..<303)])
    #expect(try await agent.send(lenient) == "the page")
    #expect(server.requestCount(nil, "/2") == 0)
  }

  @Test("The request decides first, then the agent's hooks in order, until a hook stops")
  func order() async throws {
    struct Call: Request {
      typealias Response = String
      let recorder: Recorder
      let path = "1"
      var validators: [any ResponseValidator] { [] }
      func redirectDecision(
        to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
      ) async throws -> RedirectPolicy.Decision {
        recorder.add(
          "request: \(response.status.code) from \(response.url?.path ?? "") to \(request.url.path)")
        request.url.append(path: "x")
        return .follow
      }
    }
    let recorder = Recorder()
    func hook(_ name: String, _ decision: RedirectPolicy.Decision) -> DecidingHooks {
      DecidingHooks { request, _, _ in
        recorder.add("\(name): \(request.url.path)")
        return decision
      }
    }
    let agent = RequestAgent(
      baseURL: "http://a", transport: FunctionTransport.leading(["http://a/1": "2"]),
      hooks: [hook("first", .follow), hook("second", .stop), hook("third", .follow)])
    #expect(try await agent.send(Call(recorder: recorder)) == "moved")
    #expect(recorder.events == ["request: 302 from /1 to /2", "first: /2/x", "second: /2/x"])
  }

  @Test("A hook's change of the target is sent, and judged again")
  func change() async throws {
    let transport = FunctionTransport.leading(["https://a/1": "http://a/2", "https://a/2": "3"])
    let secure = DecidingHooks { request, _, _ in
      var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
      parts?.scheme = "https"
      request.url = parts?.url ?? request.url
      request.headers["X-Hop"] = "yes"
      return .follow
    }
    let agent = RequestAgent(baseURL: "https://a", transport: transport, hooks: [secure])
    #expect(try await agent.send(.get("1", as: String.self)) == "https://a/3")
    #expect(transport.requests.map { $0.headers["X-Hop"] } == [nil, "yes", "yes"])

    let bad = DecidingHooks { request, _, _ in
      request.url = URL(string: "relative")!
      return .follow
    }
    let wrong = RequestAgent(baseURL: "https://a", transport: transport, hooks: [bad])
    let error = try await #require(throws: RequestError.self) { try await wrong.send(.get("2")) }
    #expect(error.kind == .invalidURL && transport.lines.last == "GET https://a/2")

    let circular = DecidingHooks { request, _, _ in
      request.url = URL(string: "https://a/2#again")!
      return .follow
    }
    let endless = RequestAgent(baseURL: "https://a", transport: transport, hooks: [circular])
    let circle = try await #require(throws: RequestError.self) { try await endless.send(.get("2")) }
    #expect(
      circle.reason
        == #"10 redirects were followed, and the server sent another; the redirects repeat "https://a/2""#)
  }

  @Test("A thrown error ends the attempt, and is the cause")
  func throwing() async throws {
    let hook = DecidingHooks { _, _, _ in throw ProbeError(stage: "login") }
    let agent = RequestAgent(
      baseURL: "http://a", transport: FunctionTransport.leading(["http://a/1": "2"]), hooks: [hook])
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("1")) }
    #expect(error.kind == .hook && error.stage == .transport)
    #expect(error.reason == #"redirectDecision threw ProbeError(stage: "login")"#)
    #expect(error.cause(as: ProbeError.self) == ProbeError(stage: "login"))
    #expect(error.response?.status == 302)
  }

  @Test("A thrown refusal keeps its kind and its text")
  func refusal() async throws {
    let hook = DecidingHooks { _, _, _ in throw Refusal("log in first", kind: .init("login")) }
    let agent = RequestAgent(
      baseURL: "http://a", transport: FunctionTransport.leading(["http://a/1": "2"]), hooks: [hook])
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("1")) }
    #expect(error.kind.name == "login" && error.reason == "log in first")
  }
}
