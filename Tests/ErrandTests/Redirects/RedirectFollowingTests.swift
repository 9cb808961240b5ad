import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Following redirects")
struct RedirectFollowingTests {
  @Test("Each hop is listed, and the response is the last hop's")
  func report() async throws {
    let transport = FunctionTransport.leading([
      "http://a/1": "/2?x#top", "http://a/2?x": "https://b/3",
    ])
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let received = try await agent.response(for: .get("1", as: String.self))
    #expect(received.value == "https://b/3")
    #expect(received.response.url?.absoluteString == "https://b/3#top")
    let attempt = try #require(received.report.attempts.first)
    #expect(
      attempt.redirects.map { "\($0.from) \($0.status.code) \($0.to) \($0.method)" } == [
        "http://a/1 302 http://a/2?x#top GET", "http://a/2?x 302 https://b/3#top GET",
      ])
    #expect(attempt.request?.url.absoluteString == "https://b/3")
    #expect(received.report.attempts.count == 1)
  }

  @Test("A printed hop has redacted URLs")
  func printed() async throws {
    let transport = FunctionTransport.leading(["http://a/1?token=s3cret": "https://b/2?session=s3cret"])
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let report = try await agent.response(for: .get("1?token=s3cret", as: String.self)).report
    let hop = try #require(report.attempts.first?.redirects.first)
    #expect(
      "\(hop)" == "302 Found from GET http://a/1?token=<redacted> to GET https://b/2?session=<redacted>")
    var dumped = ""
    dump(hop, to: &dumped)
    #expect(!dumped.contains("s3cret") && !"\(report.attempts)".contains("s3cret"))
  }

  @Test("A chain of stages with a redirect is a single line")
  func events() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.probing(recorder, [.redirect(307, to: "/next"), .answer(200)])
    #expect(try await agent.send(StageProbe(recorder: recorder)) == "ok")
    #expect(
      recorder.events == [
        "accessory.willStart", "accessory.attemptWillStart 1", "build",
        "request.filterRequest 1", "agent.filterRequest 1", "accessory.attemptWillSend 1", "transport",
        "request.redirectDecision 1", "agent.redirectDecision 1",
        "request.filterRequest 1", "agent.filterRequest 1", "accessory.attemptWillSend 1", "transport",
        "validate.head 1", "validate.body 1", "request.filterResponse 1", "agent.filterResponse 1",
        "decode 1", "accessory.attemptDidStop 1",
        "request.preprocess success", "agent.preprocess success", "accessory.willStop",
        "request.filter success", "agent.filter success",
        "request.completed success", "agent.completed success", "accessory.didStop success",
      ])
  }

  @Test("A hook's change of a hop is not carried to the next hop, and the hook runs again")
  func freshHooks() async throws {
    struct Signing: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers.add("X-Seal", "of \(request.url.path)")
        request.body = .data((request.body.data ?? Data()) + Data("!".utf8))
      }
    }
    let transport = FunctionTransport.leading(["http://a/1": "2", "http://a/2": "3"], status: 308)
    let agent = RequestAgent(baseURL: "http://a", transport: transport, hooks: [Signing()])
    try await agent.send(OneOffRequest.post("1", body: .text("x")))
    #expect(transport.requests.map { $0.headers.values(for: "X-Seal") } == [["of /1"], ["of /2"], ["of /3"]])
    #expect(transport.requests.map { $0.body.data } == Array(repeating: Data("x!".utf8), count: 3))
  }

  @Test("The method from a hook is the method that redirects change")
  func changedMethod() async throws {
    struct Tunnel: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        if request.method == .put { request.method = .post }
      }
    }
    let transport = FunctionTransport.leading(["http://a/1": "2"], status: 301)
    let agent = RequestAgent(baseURL: "http://a", transport: transport, hooks: [Tunnel()])
    try await agent.send(OneOffRequest<Void>("1", method: .put, body: .text("x"), response: .none))
    #expect(transport.lines == ["POST http://a/1", "GET http://a/2"])
    #expect(transport.requests.map { $0.body.length } == [1, 0])
  }

  static let unfollowed: [(HTTPResponse.Status, HTTPHeaders)] = [
    (300, ["Location": "/2"]), (304, ["Location": "/2"]), (305, ["Location": "/2"]),
    (306, ["Location": "/2"]), (302, [:]), (302, ["Location": "http://:80"]),
  ]

  @Test("A redirect without a target is a response for the validators", arguments: unfollowed)
  func leadsNowhere(_ row: (HTTPResponse.Status, HTTPHeaders)) async throws {
    let transport = FunctionTransport { _, _ in
      HTTPResponse(status: row.0, headers: row.1, body: Data("page".utf8))
    }
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("1")) }
    #expect(error.kind == .status && error.stage == .validate && error.status == row.0)
    #expect(error.response?.body == Data("page".utf8))
    #expect(transport.requests.count == 1)
  }

  @Test("The policy none returns the 3xx, of a request or of the agent")
  func none() async throws {
    let transport = FunctionTransport.leading(["http://a/1": "2"])
    var configuration = AgentConfiguration()
    configuration.redirectPolicy = .none
    let strict = RequestAgent(baseURL: "http://a", transport: transport, configuration: configuration)
    let call = OneOffRequest.get("1", as: String.self).with(\.validators, [])
    #expect(try await strict.send(call) == "moved")
    #expect(try await strict.send(call.with(\.redirectPolicy, .follow())) == "http://a/2")
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    #expect(try await agent.send(call) == "http://a/2")
    #expect(try await agent.send(call.with(\.redirectPolicy, .none)) == "moved")
  }

  /// 600 s, because the machine may be busy with all tests.
  private static var patient: any Transport {
    #if os(Linux)
    CurlTransport(idleConnectionLifetime: .seconds(600))
    #else
    DefaultTransport.make()
    #endif
  }

  @Test("The connection of a redirect is reused for the next hop, with reported metrics")
  func reuse() async throws {
    let server = try MockServer()
    server.route(.get, "/1", answers: .text("moved", status: 302).header("Location", "2"))
    server.route(.get, "/2", answers: .text("there"))
    let agent = RequestAgent(baseURL: server.baseURL, transport: Self.patient)
    let received = try await agent.response(for: .get("1", as: String.self))
    #expect(received.value == "there")
    #expect(server.connectionCount == 1)
    #expect(received.report.attempts.first?.metrics?.isConnectionReused == true)
  }

  @Test("A long body of a redirect is abandoned")
  func longBody() async throws {
    let server = try MockServer()
    let long = MockAnswer.data(Data(count: 4_000_000), status: 302).header("Location", "2")
    let chunks = Array(repeating: Data(count: 100_000), count: 40)
    server.route(.get, "/1", answers: long)
    server.route(.get, "/chunked", answers: .chunks(chunks, status: 302).header("Location", "2"))
    server.route(.get, "/2", answers: .text("there"))
    let agent = RequestAgent(baseURL: server.baseURL)
    #expect(try await agent.send(.get("1", as: String.self)) == "there")
    #expect(try await agent.send(.get("chunked", as: String.self)) == "there")
  }
}
