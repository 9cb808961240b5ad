import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Debugger output")
struct DebugFormTests {
  static func request(_ body: RequestBody, _ type: String?) throws -> HTTPRequest {
    var request = HTTPRequest(url: try #require(URL(string: "https://a/b?token=s3cret")), method: .post)
    request.headers["Content-Type"] = type
    request.body = body
    return request
  }

  @Test("A request shows its body after its head, in readable form")
  func request() throws {
    let json = try Self.request(.data(Data(#"{"id":7,"password":"s3cret"}"#.utf8)), "application/json")
    #expect(
      String(reflecting: json) == """
        POST https://a/b?token=<redacted>
        Content-Type: application/json

        {"id":7,"password":"<redacted>"}
        """)
    let bytes = try Self.request(.data(Data([0, 1, 2])), nil)
    #expect(String(reflecting: bytes) == "POST https://a/b?token=<redacted>\n\n(3 bytes)")
    #expect(String(reflecting: try Self.request(.none, nil)) == "POST https://a/b?token=<redacted>")
    let odd = try Self.request(.text("a\u{1B}[2J"), nil)
    #expect(String(reflecting: odd).hasSuffix("\n\na\\u{1B}[2J"))
  }

  @Test("A multipart form has a line for each part")
  func form() throws {
    let parts = [
      BodyPart(name: "user", body: .text("ada")), BodyPart(name: "password", body: .text("s3cret")),
      BodyPart(name: "photo", filename: "a.png", body: .data(Data([0, 1]), contentType: "image/png")),
    ]
    let text = String(reflecting: try Self.request(.multipart(parts), nil))
    #expect(
      text == """
        POST https://a/b?token=<redacted>

        user: ada
        password: <redacted>
        photo: a.png, 2 bytes
        """)
  }

  @Test("A response has an excerpt of a long body")
  func response() {
    let response = HTTPResponse(
      status: 404, headers: ["Content-Type": "text/plain"],
      body: Data(String(repeating: "a", count: 20_000).utf8))
    let text = String(reflecting: response)
    #expect(text.hasPrefix("404 Not Found\nContent-Type: text/plain\n\naaa"))
    #expect(text.hasSuffix("aaa…") && text.count == 16_384 + 41)
    #expect(String(reflecting: HTTPResponse()) == "200 OK\n(0 bytes)")
  }

  @Test("Every excerpt of a body is redacted first and then cut, and binary bodies are counted")
  func excerpts() {
    let redaction = Redaction.standard
    func excerpt(_ text: String, _ length: Int, isOneLine: Bool = false) -> String {
      redaction.excerpt(of: Data(text.utf8), type: nil, length: length, isOneLine: isOneLine)
    }
    #expect(excerpt("abc", 3) == "abc" && excerpt("abcd", 3) == "abc…" && excerpt("", 3) == "")
    #expect(excerpt("a\n b", 10) == "a\n b" && excerpt("a\n b", 10, isOneLine: true) == "a b")
    #expect(excerpt(#"{"token":"s3cret"}"#, 12) == #"{"token":"<r…"#)
    #expect(redaction.excerpt(of: Data(count: 100_000), type: nil, length: 10) == "(100000 bytes)")
    let long = String(repeating: "é", count: 100_000)
    #expect(excerpt(long, 5) == "ééééé…")
  }

  @Test("A hook's prints redact the values of its dispatch, including bodies")
  func dispatched() async throws {
    struct Printing: RequestHooks {
      let recorder: Recorder
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        recorder.add(String(reflecting: request))
      }
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        recorder.add(String(reflecting: response))
      }
    }
    let recorder = Recorder()
    let agent = RequestAgent.mocked(
      Stub(.post, "/a", answers: .text("you sent s3cret-value")), hooks: [Printing(recorder: recorder)])
    try await agent.send(.post("a", parameters: ["harmless": Secret("s3cret-value")], as: String.self))
    #expect(recorder.events.count == 2)
    #expect(recorder.events.allSatisfy { $0.contains("<redacted>") && !$0.contains("s3cret-value") })
  }
}
