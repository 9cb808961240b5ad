import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Parameters of the agent")
struct StandardParametersTests {
  struct Call: Request {
    typealias Response = Void
    var path = "call"
    var method = HTTPMethod.get
    var parameters: Parameters = ["page": 2]
    var query: Parameters = [:]
    var body = RequestBody.automatic
    var requestSerializer = RequestSerializer.form
    var customRequest: HTTPRequest?
  }

  static func agent(
    _ transport: some Transport, base: String = "https://api.example.com/v1",
    _ parameters: Parameters = ["client": "ios", "v": 7]
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.parameters = parameters
    return RequestAgent(baseURL: base, transport: transport, configuration: configuration)
  }

  private func sent(_ request: Call) async throws -> HTTPRequest {
    let transport = FunctionTransport()
    try await Self.agent(transport).send(request)
    return try #require(transport.requests.first)
  }

  @Test(
    "The agent's parameters are added before the request's in the query, if the request's are in the query")
  func query() async throws {
    let get = try await sent(Call())
    #expect(get.url.absoluteString == "https://api.example.com/v1/call?client=ios&v=7&page=2")
    let put = try await sent(Call(method: .put, body: .data(Data("x".utf8))))
    #expect(put.url.absoluteString == "https://api.example.com/v1/call?client=ios&v=7&page=2")
    #expect(put.body.data == Data("x".utf8))
  }

  @Test(
    "The agent's parameters are in the body if the request's are, with its serializer, also without own parameters"
  )
  func body() async throws {
    let form = try await sent(Call(method: .post, query: ["q": 1]))
    #expect(form.url.absoluteString == "https://api.example.com/v1/call?q=1")
    #expect(form.body.data == Data("client=ios&v=7&page=2".utf8))
    let json = try await sent(Call(method: .post, requestSerializer: .json))
    #expect(json.body.data == Data(#"{"client":"ios","v":7,"page":2}"#.utf8))
    let bare = try await sent(Call(method: .post, parameters: [:]))
    #expect(bare.body.data == Data("client=ios&v=7".utf8))
  }

  @Test(
    "A key in the request's parameters, query or path replaces the agent's parameter"
  )
  func precedence() async throws {
    let parameters = try await sent(Call(parameters: ["v": 9]))
    #expect(parameters.url.query == "client=ios&v=9")
    let query = try await sent(Call(parameters: [:], query: ["v": 9]))
    #expect(query.url.query == "client=ios&v=9")
    let path = try await sent(Call(path: "call?%76=9", parameters: [:]))
    #expect(path.url.query == "%76=9&client=ios")
    let posted = try await sent(Call(method: .post, parameters: [:], query: ["v": 9]))
    #expect(posted.url.query == "v=9" && posted.body.data == Data("client=ios".utf8))
  }

  @Test(
    "The agent's parameters are sent to the base's origin only, and never in data URLs or custom requests"
  )
  func places() async throws {
    let same = try await sent(Call(path: "https://api.example.com:443/next?v=1", parameters: [:]))
    #expect(same.url.absoluteString == "https://api.example.com:443/next?v=1&client=ios")
    let other = try await sent(Call(path: "https://other.example/next", parameters: [:]))
    #expect(other.url.absoluteString == "https://other.example/next")
    let custom = try await sent(
      Call(customRequest: HTTPRequest(url: try #require(URL(string: "https://api.example.com/x")))))
    #expect(custom.url.absoluteString == "https://api.example.com/x")
    let transport = FunctionTransport()
    #expect(try await Self.agent(transport).send(.get("data:,ok", as: String.self)) == "ok")
    let base = Self.agent(transport, base: "data:,base")
    #expect(try await base.send(.get("", as: String.self)) == "base")
    let own = OneOffRequest<String>.get("", as: String.self).with(\.baseURL, URL(string: "data:,own"))
    #expect(try await Self.agent(transport).send(own) == "own")
  }

  @Test("A linked page has the agent's parameters once")
  func pages() async throws {
    let next = "<https://api.example.com/v1/users?client=ios&v=7&page=2>; rel=\"next\""
    let transport = FunctionTransport { _, number in
      HTTPResponse(headers: number == 1 ? ["Link": next] : [:], body: Data("[\(number)]".utf8))
    }
    let pages = Self.agent(transport).pages(of: OneOffRequest.get("users", as: [Int].self), by: .link)
    var numbers: [Int] = []
    for try await page in pages { numbers += page }
    #expect(numbers == [1, 2])
    #expect(
      transport.requests.map { $0.url.query } == ["client=ios&v=7", "client=ios&v=7&page=2"])
  }

  @Test("A redirect that repeats the body at another origin sends the request's own parameters only")
  func redirected() async throws {
    let transport = FunctionTransport { request, _ in
      let place = ["/v1/call": "/again", "/again": "https://other.example/there"][request.url.path]
      return place.map { HTTPResponse(status: 307, headers: ["Location": $0]) } ?? HTTPResponse()
    }
    try await Self.agent(transport).send(Call(method: .post))
    let bodies = transport.requests.map {
      "\($0.url) \(String(decoding: $0.body.data ?? Data(), as: UTF8.self))"
    }
    #expect(
      bodies == [
        "https://api.example.com/v1/call client=ios&v=7&page=2",
        "https://api.example.com/again client=ios&v=7&page=2", "https://other.example/there page=2",
      ])
  }

  @Test("A secret parameter of the agent is redacted everywhere")
  func secret() async throws {
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 400, body: Data("no K3y-5ecret".utf8)) }
    let agent = Self.agent(transport, ["house": Secret("K3y-5ecret"), "token": "T0ken-5ecret"])
    let explained = try await agent.explain(Call())
    let error = try await #require(throws: RequestError.self) { try await agent.send(Call(method: .post)) }
    for text in [explained.description, "\(error)", error.debugDescription, "\(error.request as Any)"] {
      #expect(!text.contains("5ecret"), "\(text)")
    }
    #expect(explained.description.contains("call?house=<redacted>&token=<redacted>&page=2"))
    let body = try #require(transport.requests.first?.body.data)
    #expect(String(decoding: body, as: UTF8.self) == "house=K3y-5ecret&token=T0ken-5ecret&page=2")
  }
}
