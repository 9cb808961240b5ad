import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Credentials and redirects")
struct RedirectCredentialsTests {
  private let secret: HTTPHeaders = ["Authorization": "Bearer t", "Cookie": "c", "Prefer": "p"]

  private func send(_ transport: FunctionTransport, hooks: [any RequestHooks] = []) async throws -> [String] {
    let agent = RequestAgent(baseURL: "https://a", transport: transport, hooks: hooks)
    let call = OneOffRequest.get("1", as: String.self).with(\.headers, secret)
    _ = try await agent.send(call)
    return transport.requests.map { request in
      let names = ["Authorization", "Cookie", "Prefer"].filter { request.headers.contains($0) }
      return "\(request.url.host ?? ""): \(names.joined(separator: " "))"
    }
  }

  @Test("Credentials stay with their origin, and do not return with a later hop")
  func back() async throws {
    let transport = FunctionTransport.leading([
      "https://a/1": "/2", "https://a/2": "https://b/3", "https://b/3": "https://a/4",
    ])
    #expect(
      try await send(transport) == [
        "a: Authorization Cookie Prefer", "a: Authorization Cookie Prefer", "b: Prefer", "a: Prefer",
      ])
  }

  @Test("Credentials of the agent's headers and of a URL are dropped at another origin")
  func everySource() async throws {
    let transport = FunctionTransport.leading(["http://a/1": "https://b/2"])
    var configuration = AgentConfiguration()
    configuration.headers = ["X-Api-Key": "k", "X-Team": "red"]
    configuration.redaction = .standard.hiding(headers: ["X-Team"])
    let agent = RequestAgent(baseURL: "http://ada:pw@a", transport: transport, configuration: configuration)
    _ = try await agent.send(.get("1", as: String.self))
    let names = ["Authorization", "X-Api-Key", "X-Team"]
    #expect(
      transport.requests.map { request in names.filter { request.headers.contains($0) } } == [names, []])
  }

  @Test("User info in a Location is never sent")
  func userInfo() async throws {
    let transport = FunctionTransport.leading(["https://a/1": "https://u:p@b/2", "https://b/2": "//u:p@b/3"])
    #expect(
      try await send(transport) == ["a: Authorization Cookie Prefer", "b: Prefer", "b: Prefer"])
    #expect(transport.lines == ["GET https://a/1", "GET https://b/2", "GET https://b/3"])
  }

  @Test("A filterRequest hook is told that the origin was left, and its additions are sent")
  func hook() async throws {
    struct Signing: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers["X-Left"] = "\(context.hasLeftOrigin)"
        if !context.hasLeftOrigin { request.headers["Authorization"] = "Bearer fresh" }
      }
    }
    let ways = ["https://a/1": "/2", "https://a/2": "https://b/3", "https://b/3": "https://a/4"]
    let transport = FunctionTransport.leading(ways)
    _ = try await send(transport, hooks: [Signing()])
    #expect(transport.requests.map { $0.headers["X-Left"] } == ["false", "false", "true", "true"])
    #expect(
      transport.requests.map { $0.headers["Authorization"] } == ["Bearer fresh", "Bearer fresh", nil, nil])
  }

  @Test("A hook that redirects elsewhere sends no credentials except its own")
  func ledElsewhere() async throws {
    let transport = FunctionTransport.leading(["https://a/1": "/2"])
    let hook = DecidingHooks { request, _, _ in
      request.url = URL(string: "https://b/2")!
      request.headers["Cookie"] = "of b"
      return .follow
    }
    #expect(
      try await send(transport, hooks: [hook]) == ["a: Authorization Cookie Prefer", "b: Cookie Prefer"])
    #expect(transport.requests.last?.headers["Cookie"] == "of b")
  }

  private struct Unlock: Request {
    typealias Response = String
    var code: Secret
    let path = "1"
    var headers: HTTPHeaders { ["X-Installation": "id=\(code.reveal())", "Prefer": "p"] }
  }

  @Test(
    "A secret under a harmless name stays with its origin, under any redaction",
    arguments: [Redaction.standard, .none])
  func value(_ redaction: Redaction) async throws {
    let transport = FunctionTransport.leading([
      "https://a/1": "/2", "https://a/2": "https://b/3", "https://b/3": "https://a/4",
    ])
    var configuration = AgentConfiguration()
    configuration.redaction = redaction
    let agent = RequestAgent(baseURL: "https://a", transport: transport, configuration: configuration)
    _ = try await agent.send(Unlock(code: "door-code-17"))
    let installation = "id=door-code-17"
    #expect(
      transport.requests.map { $0.headers["X-Installation"] } == [installation, installation, nil, nil])
    #expect(transport.requests.map { $0.headers["Prefer"] } == ["p", "p", "p", "p"])
  }

  @Test("A value sent under a secret name stays with its origin under another name")
  func learned() async throws {
    let transport = FunctionTransport.leading(["https://a/1": "https://b/2"])
    let agent = RequestAgent(baseURL: "https://a", transport: transport)
    let headers: HTTPHeaders = [
      "X-Api-Key": "key-of-ada-99", "X-Client": "ada key-of-ada-99", "Prefer": "p",
    ]
    _ = try await agent.send(OneOffRequest.get("1", as: String.self).with(\.headers, headers))
    let names = ["X-Api-Key", "X-Client", "Prefer"]
    #expect(
      transport.requests.map { request in names.filter { request.headers.contains($0) } } == [
        names, ["Prefer"],
      ])
  }

  @Test("A hook that redirects elsewhere sends no secret")
  func secretLedElsewhere() async throws {
    let transport = FunctionTransport.leading(["https://a/1": "/2"])
    let hook = DecidingHooks { request, _, _ in
      request.url = URL(string: "https://b/2")!
      return .follow
    }
    let agent = RequestAgent(baseURL: "https://a", transport: transport, hooks: [hook])
    _ = try await agent.send(Unlock(code: "door-code-17"))
    #expect(transport.requests.map { $0.headers["X-Installation"] } == ["id=door-code-17", nil])
  }

  @Test("A service's own header goes to no other origin under any name, and the report says so")
  func unknownNames() async throws {
    let (home, elsewhere) = (try MockServer(), try MockServer())
    home.route(
      .post, "/1",
      answers: MockAnswer.status(307).header(
        "Location", elsewhere.baseURL.appending(path: "2").absoluteString))
    elsewhere.route(.post, "/2", answers: .text("ok"))
    let own: HTTPHeaders = [
      "X-Pin": "1234", "X-User-Sid": "s-77", "Referer": "https://a/private", "X-Plain": "p",
    ]
    let wishes: HTTPHeaders = ["Accept": "text/plain", "If-Match": "\"7\"", "Content-Language": "en"]
    let agent = RequestAgent(baseURL: home.baseURL)
    let call = OneOffRequest.post("1", as: String.self).with(\.body, .text("x"))
      .with(\.headers, own.merging(wishes))
    let attempt = try #require(try await agent.response(for: call).report.attempts.first)
    let (first, second) = (try #require(home.requests.first), try #require(elsewhere.requests.first))
    for field in own.fields {
      #expect(first.headers[field.name] == field.value)
      #expect(second.headers[field.name] == nil, "\(field.name)")
    }
    for field in wishes.fields { #expect(second.headers[field.name] == field.value) }
    #expect(second.headers["Content-Type"] == first.headers["Content-Type"] && second.body == Data("x".utf8))
    #expect(attempt.withheld == ["X-Pin", "X-User-Sid", "Referer", "X-Plain"])
    #expect("\(attempt)".contains("Not sent to another origin: X-Pin, X-User-Sid, Referer, X-Plain."))
  }
}
