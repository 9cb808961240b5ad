import Errand
import Foundation
import Testing

@Suite("Refused redirects")
struct RedirectErrorTests {
  private func error(
    _ transport: FunctionTransport, _ policy: RedirectPolicy = .inherited, body: RequestBody = .none
  ) async throws -> RequestError {
    let agent = RequestAgent(transport: transport)
    let call = OneOffRequest<Void>("https://a/0", method: .put, body: body, response: .none)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(call.with(\.redirectPolicy, policy))
    }
    #expect(error.kind == .redirect && error.stage == .transport)
    return error
  }

  private var endless: FunctionTransport {
    FunctionTransport { request, number in
      HTTPResponse(status: 307, headers: ["Location": "/\(number)"])
    }
  }

  static let limits: [(RedirectPolicy, Int, String)] = [
    (.inherited, 10, "10 redirects were followed, and the server sent another"),
    (.follow(upTo: 1), 1, "1 redirect was followed, and the server sent another"),
    (.follow(upTo: 50), 50, "50 redirects were followed, and the server sent another"),
  ]

  @Test("The limit of redirects is named", arguments: limits)
  func limit(_ row: (RedirectPolicy, Int, String)) async throws {
    let transport = endless
    let error = try await error(transport, row.0)
    #expect(error.reason == row.2)
    #expect(transport.requests.count == row.1 + 1)
    #expect(error.request?.url.absoluteString == "https://a/\(row.1)")
    #expect(error.response?.headers["Location"] == "/\(row.1 + 1)")
  }

  private struct Unfit: Error {}

  @Test("The error of a serializer that encodes the body for another origin is an encoding error")
  func serializer() async throws {
    var configuration = AgentConfiguration()
    configuration.parameters = ["key": "of the agent"]
    let agent = RequestAgent(
      baseURL: "https://a", transport: FunctionTransport.leading(["https://a/0": "https://b/1"], status: 307),
      configuration: configuration)
    let serializer = RequestSerializer(contentType: "text/plain") { parameters in
      guard parameters.keys.contains("key") else { throw Unfit() }
      return Data("whole".utf8)
    }
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(
        OneOffRequest<Void>(
          "0", method: .post, parameters: ["n": 1], serializer: serializer, response: .none))
    }
    #expect(error.kind == .encoding && error.stage == .transport && error.reason == "Unfit()")
    #expect(error.cause(as: Unfit.self) != nil)
  }

  @Test("The limit ends a cycle, and its URLs are named")
  func circle() async throws {
    let transport = FunctionTransport.leading([
      "https://a/0": "/1", "https://a/1": "/2?k=v", "https://a/2?k=v": "/1",
    ])
    let error = try await error(transport)
    #expect(
      error.description.hasPrefix(
        """
        PUT https://a/2?k=v failed: 10 redirects were followed, and the server sent another; the redirects repeat "https://a/1", "https://a/2".
        Stage transport, attempt 1, after
        """))
    #expect(
      error.description.hasSuffix(
        """
        Response: 302 Found, body not read
        Try: Check the redirects of the server. With the redirectPolicy .none, Errand follows no redirect.
        """))
    #expect(transport.requests.count == 11)
    #expect(error.response?.url?.absoluteString == "https://a/2?k=v")
  }

  @Test("Three of many repeated URLs are named")
  func many() async throws {
    let transport = FunctionTransport { request, number in
      HTTPResponse(status: 307, headers: ["Location": "/\(number % 5)"])
    }
    #expect(
      try await error(transport).reason
        == #"10 redirects were followed, and the server sent another; the redirects repeat "https://a/0", "https://a/1", "https://a/2", and 2 more"#
    )
  }

  @Test("A return to a URL is allowed: for polling until ready, and for a sign-in that redirects back")
  func returning() async throws {
    let ready = FunctionTransport { request, number in
      number < 5 ? HTTPResponse(status: 302, headers: ["Location": "/ready"]) : HTTPResponse()
    }
    try await RequestAgent(baseURL: "https://a", transport: ready).send(.get("ready"))
    #expect(ready.lines == Array(repeating: "GET https://a/ready", count: 5))
    let signIn = FunctionTransport { request, number in
      let location = [1: "/login", 2: "/a"][number]
      return location.map { HTTPResponse(status: 302, headers: ["Location": $0]) } ?? HTTPResponse()
    }
    try await RequestAgent(baseURL: "https://a", transport: signIn).send(.get("a"))
    #expect(signIn.lines == ["GET https://a/a", "GET https://a/login", "GET https://a/a"])
  }

  static let unusable: [(HTTPHeaders, String)] = [
    ([:], "The redirect has no Location header."),
    (["Location": "/1", "location": "/2"], "The 2 Location headers of the redirect disagree."),
    (
      ["Location": "//[1::2::3]/x?token=s3cret"],
      #"The Location "//[1::2::3]/x" of the redirect is invalid: the host "[1::2::3]" of "https://[1::2::3]/x" is not an IPv6 address."#
    ),
    (
      ["Location": "https://h:99999/"],
      #"The Location "https://h:99999/" of the redirect is invalid: the port "99999" of "https://h:99999/" is not in 1...65535."#
    ),
    (["Location": "http:/x"], #"The Location "http:/x" of the redirect is invalid: the URL has no host."#),
  ]

  @Test("An invalid Location is named, with the reason", arguments: unusable)
  func nowhere(_ row: (HTTPHeaders, String)) async throws {
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 302, headers: row.0) }
    let agent = RequestAgent(baseURL: "https://a", transport: transport)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("0")) }
    #expect(error.status == 302 && transport.requests.count == 1)
    #expect(error.description.hasSuffix("Try: \(row.1)"))
  }

  @Test("A redirect to itself is followed once if the method changes")
  func itself() async throws {
    let transport = FunctionTransport { request, _ in
      request.method == .get ? HTTPResponse() : HTTPResponse(status: 303, headers: ["Location": "/0"])
    }
    try await RequestAgent(baseURL: "https://a", transport: transport).send(.post("0"))
    #expect(transport.lines == ["POST https://a/0", "GET https://a/0"])
  }

  static let schemes = [
    (
      "http://a/1", #"the redirect from https to "http://a/1" is refused: the request would not be encrypted"#
    ),
    (
      "file:///etc/passwd",
      #"the redirect to "file:///etc/passwd" is refused: only http and https are followed"#
    ),
    ("data:,x", #"the redirect to "data:…" is refused: only http and https are followed"#),
    ("mailto:a@b", #"the redirect to "mailto:a@b" is refused: only http and https are followed"#),
  ]

  @Test("https is not downgraded, and only http and https are followed", arguments: schemes)
  func scheme(_ row: (String, String)) async throws {
    let transport = FunctionTransport.leading(["https://a/0": row.0])
    #expect(try await error(transport).reason == row.1)
    #expect(transport.requests.count == 1)
  }

  @Test("A one-shot body stops the redirect")
  func oneShot() async throws {
    let body = RequestBody.stream(AsyncStream<Data> { $0.finish() })
    let transport = FunctionTransport.leading(["https://a/0": "/1"], status: 308)
    #expect(
      try await error(transport, body: body).reason
        == "status 308 requires the body again, but the body can be produced only once")
    #expect(transport.requests.count == 1)
  }

  @Test("A failed hop is the request of the error")
  func failingHop() async throws {
    let transport = FunctionTransport { request, number in
      if number == 2 { throw TransportError(.connectionFailed, "the connection was refused") }
      return HTTPResponse(status: 302, headers: ["Location": "https://b/1"])
    }
    let agent = RequestAgent(baseURL: "https://a", transport: transport)
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("0")) }
    #expect(error.kind == .connectionFailed && error.stage == .transport)
    #expect(error.request?.url.absoluteString == "https://b/1")
    #expect(error.response == nil)
  }
}
