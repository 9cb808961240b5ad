import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("A received request")
struct ReceivedRequestTests {
  @Test("A request prints its content, and redacts secrets")
  func printed() async throws {
    let transport = MockTransport { _ in .status(200) }
    try await RequestAgent(baseURL: "http://example.com", transport: transport).send(
      OneOffRequest<Void>(
        "a?page=2&token=hunter2", method: .post, headers: ["Authorization": "Bearer hunter2"],
        body: .text("hunter2"), response: .none))
    let request = try #require(transport.requests.first)
    let lines = "\(request)".split(separator: "\n")
    #expect(lines.first == "POST /a?page=2&token=<redacted>")
    #expect(lines.contains("Authorization: Bearer <redacted>"))
    #expect(lines.last == "(7 bytes)")
    var dumped = ""
    dump(request, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(String(reflecting: request) == "\(request)")
  }

  @Test("The authority of a CONNECT and the target * are no URL, and an absolute URL stays unchanged")
  func targets() throws {
    let server = try MockServer()
    server.route(nil, "/**", answers: .text("").header("Connection", "close"))
    server.route(nil, "*", answers: .text("").header("Connection", "close"))
    for line in [
      "CONNECT example.com:443", "OPTIONS *", "GET http://example.com/a?b=1", "GET /a?b=http://c:1/",
    ] {
      _ = try RawClient.answer(port: server.port, to: "\(line) HTTP/1.1\r\nHost: h\r\n\r\n")
    }
    #expect(
      server.requests.map { "\($0.target) \($0.url?.absoluteString ?? "none")" } == [
        "example.com:443 none", "* none", "http://example.com/a?b=1 http://example.com/a?b=1",
        "/a?b=http://c:1/ http://h/a?b=http://c:1/",
      ])
  }

  @Test(
    "Secrets of a URL inside the target are redacted",
    arguments: [
      ("a?u=https%3A%2F%2Fx%2F%3Ftoken%3Dhunter2", "/a?u=<redacted>"),
      ("a?x=1&next=%2Fy%3Faccess_token%3Dhunter2&y=2", "/a?x=1&next=<redacted>&y=2"),
      ("a?key=hunter2&sig=hunter2", "/a?key=<redacted>&sig=<redacted>"),
      ("a;token=hunter2/b", "/a;token=<redacted>"), ("a?b=c%20d", "/a?b=c%20d"),
    ])
  func nested(path: String, target: String) async throws {
    let transport = MockTransport { _ in .text("") }
    _ = try await RequestAgent.mocked(by: transport).send(.get(path, as: String.self))
    #expect(transport.requests[0].description.split(separator: "\n").first == "GET \(target)")
  }
}
