import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Matching of requests and entries, and the choice of recorded exchanges")
struct RecordingMatchingTests {
  let folder = RecordingFolder()
  typealias Folder = RecordingFolder

  private func replay(_ change: (inout RecordingMatching) -> Void) throws -> RecordingTransport {
    var matching = RecordingMatching()
    change(&matching)
    return try RecordingTransport(folder.file(), matching: matching)
  }

  private static func kind(_ operation: () async throws -> String) async -> RequestError.Kind? {
    do {
      _ = try await operation()
      return nil
    } catch { return (error as? TransportError)?.kind }
  }

  @Test("With an ignored host, another host, scheme and port match, and the other parts still count")
  func host() async throws {
    try folder.write(entries: Folder.entry("https://a.example/users?x=1", body: "a"))
    let transport = try replay { $0.ignoresHost = true }
    #expect(try await transport.line(.get, "http://127.0.0.1:8080/users?x=1") == "200 a")
    #expect(
      await Self.kind { try await transport.line(.get, "https://a.example/others?x=1") } == .unmatchedStub)
    #expect(
      await Self.kind { try await transport.line(.get, "https://a.example/users?x=2") } == .unmatchedStub)
    let strict = try replay { _ in }
    #expect(await Self.kind { try await strict.line(.get, "https://b.example/users?x=1") } == .unmatchedStub)
  }

  @Test("Query items are ignored by name, in any spelling")
  func query() async throws {
    try folder.write(entries: Folder.entry("https://h/a?time=1&x=1&a%20b=2", body: "a"))
    let transport = try replay { $0.ignoredQueryItems = ["time", "a b"] }
    for query in ["x=1", "x=1&time=2", "a%20b&time&x=1&%74ime=3"] {
      #expect(try await transport.line(.get, "https://h/a?\(query)") == "200 a")
    }
    #expect(await Self.kind { try await transport.line(.get, "https://h/a?x=1&times=2") } == .unmatchedStub)
  }

  @Test("Header fields count on demand, by case-insensitive names and with redacted secrets")
  func headers() async throws {
    let server = MockTransport { .text($0.headers["Accept-Language"] ?? "none") }
    try await RecordingTransport.record(folder.file(), over: server) { transport in
      for language in ["de", "en"] {
        try await transport.answer(
          .get, "https://h/a", headers: ["Accept-Language": language, "Authorization": "Bearer s3cret-one"])
      }
    }
    let transport = try replay { $0.comparedHeaders = ["accept-language", "Authorization"] }
    for language in ["en", "de", "en"] {
      let answer = try await transport.answer(
        .get, "https://h/a", headers: ["ACCEPT-LANGUAGE": language, "Authorization": "Bearer s3cret-two"])
      #expect(String(decoding: answer.body, as: UTF8.self) == language)
    }
    let error = await #expect(throws: TransportError.self) { try await transport.answer(.get, "https://h/a") }
    #expect(error?.kind == .unmatchedStub)
    #expect(error?.message.contains("(another header)") == true, "\(String(describing: error))")
  }

  @Test("Ignored bodies make no difference, and entries answer in order")
  func bodies() async throws {
    try folder.write(
      entries: Folder.entry("POST", "https://h/a", body: "1", sent: #"{"n":1}"#),
      Folder.entry("POST", "https://h/a", body: "2", sent: #"{"n":2}"#))
    let body = RequestBody.data(Data(#"{"n":2}"#.utf8), contentType: "application/json")
    let ignoring = try replay { $0.ignoresBody = true }
    #expect(try await ignoring.line(.post, "https://h/a", body: body) == "200 1")
    #expect(try await ignoring.line(.post, "https://h/a", body: .none) == "200 2")
    let comparing = try replay { _ in }
    #expect(try await comparing.line(.post, "https://h/a", body: body) == "200 2")
  }

  @Test("Bodies always make a difference on demand, even with a single entry")
  func alwaysCompared() async throws {
    try folder.write(entries: Folder.entry("POST", "https://h/a", body: "1", sent: #"{"n":1}"#))
    func sent(_ json: String) -> RequestBody { .data(Data(json.utf8), contentType: "application/json") }
    let lenient = try replay { _ in }
    #expect(try await lenient.line(.post, "https://h/a", body: sent(#"{"wrong":1}"#)) == "200 1")
    let strict = try replay { $0.alwaysComparesBody = true }
    #expect(try await strict.line(.post, "https://h/a", body: sent(#"{ "n": 1.0 }"#)) == "200 1")
    let error = await #expect(throws: TransportError.self) {
      try await strict.line(.post, "https://h/a", body: sent(#"{"wrong":1}"#))
    }
    #expect(error?.kind == .unmatchedStub)
    #expect(
      error?.message.contains("entry 1, POST https://h/a (another body)") == true,
      "\(String(describing: error))")
    let ignoring = try replay { ($0.alwaysComparesBody, $0.ignoresBody) = (true, true) }
    #expect(try await ignoring.line(.post, "https://h/a", body: .none) == "200 1")
  }

  @Test("An edit changes or drops recorded exchanges, and not the agent's response")
  func edits() async throws {
    let server = MockTransport { .json(#"{"path":"\#($0.path)","time":"10:00"}"#) }
    let recording = try RecordingTransport(
      folder.file(), mode: .recordAll, over: server,
      edit: { request, response in
        guard request.url.path() != "/health" else { return false }
        response.body = Data(
          String(decoding: response.body, as: UTF8.self).replacing("10:00", with: "now").utf8)
        response.headers["X-Edited"] = "1"
        request.headers["X-Run"] = nil
        request.body = .data(Data(#"{"n":0}"#.utf8), contentType: "application/json")
        return true
      })
    #expect(
      try await recording.answer(.get, "https://h/a", headers: ["X-Run": "17"]).headers["X-Edited"] == nil)
    #expect(try await recording.line(.get, "https://h/health") == #"200 {"path":"/health","time":"10:00"}"#)
    try recording.save()
    let text = try folder.text()
    #expect(!text.contains("10:00") && !text.contains("health") && !text.contains("X-Run"))
    #expect(text.contains(#"{\"n\":0}"#))
    let replayed = try await RecordingTransport(folder.file()).answer(.get, "https://h/a")
    #expect(String(decoding: replayed.body, as: UTF8.self) == #"{"path":"/a","time":"now"}"#)
    #expect(replayed.headers["X-Edited"] == "1")
  }

  @Test("Secrets are redacted in edited exchanges")
  func secrets() async throws {
    let server = MockTransport { _ in .text("fine") }
    let recording = try RecordingTransport(
      folder.file(), mode: .recordAll, over: server,
      edit: { _, response in
        response.body = Data(#"{"password":"s3cret-word"}"#.utf8)
        response.headers["Content-Type"] = "application/json"
        response.headers["Set-Cookie"] = "sid=s3cret-word"
        return true
      })
    #expect(try await recording.line(.get, "https://h/a") == "200 fine")
    try recording.save()
    #expect(try !folder.text().contains("s3cret-word"))
  }
}
