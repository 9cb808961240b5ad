import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("A received request")
struct ReceivedRequestTests {
  @Test("It prints what it is, and hides secrets")
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
}
