import Errand
import Foundation
import Testing

@Suite("Redirects that may not be followed")
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

  /// `/0` leads to `/1`, and so on without an end.
  private var endless: FunctionTransport {
    FunctionTransport { request, number in
      HTTPResponse(status: 307, headers: ["Location": "/\(number)"])
    }
  }

  static let limits: [(RedirectPolicy, Int, String)] = [
    (.inherited, 10, "10 redirects were followed and another came"),
    (.follow(upTo: 1), 1, "1 redirect was followed and another came"),
    (.follow(upTo: 50), 50, "50 redirects were followed and another came"),
  ]

  @Test("There is a limit, and it is named", arguments: limits)
  func limit(_ row: (RedirectPolicy, Int, String)) async throws {
    let transport = endless
    let error = try await error(transport, row.0)
    #expect(error.reason == row.2)
    #expect(transport.requests.count == row.1 + 1)
    #expect(error.request?.url.absoluteString == "https://a/\(row.1)")
    #expect(error.response?.headers["Location"] == "/\(row.1 + 1)")
  }

  @Test("A circle is named before the limit is reached, by its URL")
  func circle() async throws {
    let transport = FunctionTransport.leading([
      "https://a/0": "/1", "https://a/1": "/2?k=v", "https://a/2?k=v": "/1",
    ])
    let error = try await error(transport)
    #expect(
      error.description.hasPrefix(
        """
        PUT https://a/2?k=v failed: the redirects run in a circle: PUT "https://a/1" was sent before.
        Stage transport, attempt 1, after
        """))
    #expect(
      error.description.hasSuffix(
        """
        Response: 302 Found, no body
        Try: Check where the server leads. A redirectPolicy of .none gives you the 3xx itself.
        """))
    #expect(transport.requests.count == 3)
    #expect(error.response?.url?.absoluteString == "https://a/2?k=v")
  }

  @Test("A redirect to itself is a circle, but not when the method changes")
  func itself() async throws {
    #expect(
      try await error(.leading(["https://a/0": ""])).reason
        == #"the redirects run in a circle: PUT "https://a/0" was sent before"#)
    let transport = FunctionTransport { request, _ in
      request.method == .get ? HTTPResponse() : HTTPResponse(status: 303, headers: ["Location": "/0"])
    }
    try await RequestAgent(baseURL: "https://a", transport: transport).send(.post("0"))
    #expect(transport.lines == ["POST https://a/0", "GET https://a/0"])
  }

  static let schemes = [
    ("http://a/1", #"the redirect from https to "http://a/1" is refused: it would not be encrypted"#),
    (
      "file:///etc/passwd",
      #"the redirect to "file:///etc/passwd" is refused: only http and https are followed"#
    ),
    ("data:,x", #"the redirect to "data:…" is refused: only http and https are followed"#),
    ("mailto:a@b", #"the redirect to "mailto:a@b" is refused: only http and https are followed"#),
  ]

  @Test("https is not left, and nothing but http and https is followed", arguments: schemes)
  func scheme(_ row: (String, String)) async throws {
    let transport = FunctionTransport.leading(["https://a/0": row.0])
    #expect(try await error(transport).reason == row.1)
    #expect(transport.requests.count == 1)
  }

  @Test("A body that can be produced once stops it")
  func oneShot() async throws {
    let body = RequestBody.stream(AsyncStream<Data> { $0.finish() })
    let transport = FunctionTransport.leading(["https://a/0": "/1"], status: 308)
    #expect(
      try await error(transport, body: body).reason
        == "status 308 asks for the body again, which can be produced only once")
    #expect(transport.requests.count == 1)
  }

  @Test("A hop that fails is the request of the error")
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
