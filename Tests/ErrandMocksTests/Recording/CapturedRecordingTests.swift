import Errand
import ErrandMocks
import Foundation
import Testing

/// Written by headless Chromium 156 while a page fetched from httpbin over HTTP/2.
///
/// Playwright 1.65 drove the browser.
@Suite("A HAR file captured from a browser")
struct CapturedRecordingTests {
  static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/chromium.har")

  let base = "https://127.0.0.1:45223"

  struct Echo: Decodable, Sendable {
    var data: String
    var form: [String: String]
  }

  @Test("Every exchange is replayed through an agent in order, byte for byte")
  func replayed() async throws {
    let replay = try RecordingTransport(Self.file)
    let agent = RequestAgent(baseURL: base, transport: replay)
    #expect(try await agent.send(.get("links/2/0", as: String.self)).hasPrefix("<html>"))
    let query = try await agent.response(for: .get("get", query: ["x": 1, "y": "é"], as: Data.self))
    #expect(query.response.body.count == 762)
    #expect(query.response.headers["Content-Type"] == "application/json")
    #expect(query.response.headers.fields.allSatisfy { !$0.name.hasPrefix(":") })

    let form = OneOffRequest<Echo>(
      "anything", method: .post, parameters: ["a": "x y", "b": "é"], response: .json())
    let other = form.with(\.parameters, ["a": "z"])
    let json = OneOffRequest<Echo>(
      "anything", method: .post, parameters: ["n": 1], serializer: .json, response: .json())
    #expect(try await agent.send(json).data == #"{"n":1}"#)
    let error = try await #require(throws: RequestError.self) { try await agent.send(other) }
    #expect(error.kind == .unmatchedStub)
    #expect(try await agent.send(form).form == ["a": "x y", "b": "é"])

    #expect(try await agent.send(.get("gzip", as: String.self)).contains("\"gzipped\": true"))
    let image = try await agent.send(.get("image/png", as: Data.self))
    #expect(image.count == 8090 && image.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let redirected = try await agent.response(for: .get("redirect/2", as: Data.self))
    #expect(redirected.response.url?.path == "/get")
    #expect(redirected.report.attempts.first?.redirects.count == 2)
    #expect(try await agent.send(.get("bytes/20?seed=1", as: Data.self)).count == 20)
    #expect(try await agent.send(.get("encoding/utf8", as: Data.self)).count == 14_239)
    let first = try await agent.send(.get("uuid", as: [String: String].self))
    let second = try await agent.send(.get("uuid", as: [String: String].self))
    #expect(first != second)
    #expect(try await agent.response(for: .get("status/204", as: Data.self)).response.status == 204)
    let missing = try await #require(throws: RequestError.self) { try await agent.send(.get("status/404")) }
    #expect(missing.status == 404)
    let refused = try await #require(throws: RequestError.self) {
      try await agent.send(.get("http://127.0.0.1:1/"))
    }
    #expect(refused.kind == .transport)
    #expect(
      refused.reason
        == "the exchange failed when it was recorded (entry 16, GET http://127.0.0.1:1/): net::ERR_UNSAFE_PORT"
    )
    try replay.checkAllUsed()
  }
}
