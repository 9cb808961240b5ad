import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("The replay of a recording")
struct ReplayTests {
  let folder = RecordingFolder()
  typealias Folder = RecordingFolder

  @Test("Joined fields are split at line breaks only")
  func lineBreaks() async throws {
    let value = #"one\u0085two\u2028three\nfour\r\nfive\u000bsix"#
    let file = try folder.write(
      #"""
      {"log":{"entries":[{"request":{"method":"GET","url":"https://h/a"},
      "response":{"status":200,"headers":[{"name":"X-A","value":"\#(value)"}]}}]}}
      """#)
    #expect(
      try await RecordingTransport(file).answer(.get, "https://h/a").headers
        == ["X-A": "one\u{85}two\u{2028}three", "X-A": "four", "X-A": "five\u{B}six"])
  }

  @Test("The replay has the original status, fields in order, body, trailers and URL")
  func same() async throws {
    let bytes = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) })
    let answers: [String: MockAnswer] = [
      "/bytes": .data(bytes, contentType: "image/png"),
      "/coded": .text("decoded already").header("Content-Encoding", "gzip").header("content-length", "12"),
      "/doubled": .json("[]", status: 404).header("X-A", "1").header("x-a", "").header("X-A", "é"),
      "/chunks": .chunks([Data("a".utf8), Data("b".utf8)]).trailers(["X-Sum": "2"]),
      "/none": .status(304).header("Date", "Sat, 21 Nov 2026 10:00:00 GMT"),
    ]
    let server = MockTransport { answers[$0.path] ?? .status(500) }
    var live: [HTTPResponse] = []
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    for path in answers.keys.sorted() { live.append(try await recording.answer(.get, "https://h\(path)")) }
    live.append(try await recording.answer(.head, "https://h/bytes"))
    try recording.save()

    let replay = try RecordingTransport(folder.file())
    var replayed: [HTTPResponse] = []
    for path in answers.keys.sorted() { replayed.append(try await replay.answer(.get, "https://h\(path)")) }
    replayed.append(try await replay.answer(.head, "https://h/bytes"))
    #expect(replayed == live)
    #expect(replayed[1].trailers == ["X-Sum": "2"])
    try replay.checkAllUsed()
  }

  @Test("Entries for a request answer in order, and the last entry repeats unless forbidden")
  func order() async throws {
    let url = "https://h/a"
    try folder.write(entries: Folder.entry(url, body: "1"), Folder.entry(url, status: 503, body: "2"))
    let replay = try RecordingTransport(folder.file())
    var lines: [String] = []
    for _ in 1...3 { lines.append(try await replay.line(.get, url)) }
    #expect(lines == ["200 1", "503 2", "503 2"])

    let strict = try RecordingTransport(folder.file(), repeatsLast: false)
    for _ in 1...2 { try await strict.answer(.get, url) }
    await #expect(
      throws: TransportError(
        .unmatchedStub,
        "every entry of users.har for GET https://h/a was used: entry 1; entry 2. Record the request once with the mode "
          + "recordMissing")
    ) { try await strict.answer(.get, url) }
  }

  @Test("An equivalent URL finds its entry", arguments: ["https://H:443/a%2Fb/c?y=%C3%A9&x=1#top"])
  func spelling(_ url: String) async throws {
    try folder.write(entries: Folder.entry("https://h/a%2fb/%63?x=1&y=é#frag", body: "found"))
    #expect(try await RecordingTransport(folder.file()).line(.get, url) == "200 found")
  }

  @Test("A request with a different secret in URL and body finds its entry")
  func secrets() async throws {
    let server = MockTransport { request in .text(request.path) }
    let sent = { (token: String, transport: any Transport) in
      let body = RequestBody.text(
        #"{"password":"\#(token)","n":1}"#, contentType: "application/json")
      let other = RequestBody.text(#"{"n":2}"#, contentType: "application/json")
      let urls = ["https://h/a?access_token=\(token)&q=1", "https://h/b?key=\(token)"]
      return try await [
        transport.line(.get, urls[0]), transport.line(.post, urls[1], body: body),
        transport.line(.post, urls[1], body: other),
      ]
    }
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    let live = try await sent("canary", recording)
    try recording.save()
    #expect(try !folder.text().contains("canary"))
    let replay = try RecordingTransport(folder.file())
    #expect(try await sent("other", replay) == live)
    try replay.checkAllUsed()
  }

  @Test("Bodies count if entries differ in their bodies, with JSON members in any order")
  func bodies() async throws {
    let url = "https://h/search"
    try folder.write(
      entries: Folder.entry("POST", url, body: "cats", sent: #"{"q":"cats","n":1}"#),
      Folder.entry("POST", url, body: "dogs", sent: #"{"q":"dogs","n":1}"#),
      Folder.entry("PUT", url, body: "only", sent: "1"))
    let replay = try RecordingTransport(folder.file())
    let json = { RequestBody.text($0, contentType: "application/json") }
    #expect(try await replay.line(.post, url, body: json(#"{ "n":1, "q":"dogs" }"#)) == "200 dogs")
    #expect(try await replay.line(.post, url, body: json(#"{"q":"cats","n":1}"#)) == "200 cats")
    #expect(try await replay.line(.put, url, body: .text("2")) == "200 only")
    await #expect(
      throws: TransportError(
        .unmatchedStub,
        "no entry of users.har answers POST https://h/search; nearest: entry 1, POST https://h/search (another "
          + "body); entry 2, POST https://h/search (another body). Record the request once with the mode recordMissing"
      )
    ) { try await replay.answer(.post, url, body: json(#"{"q":"cows","n":1}"#)) }
  }

  @Test("A request without an entry fails through the agent, and the error names the nearest entries")
  func unmatched() async throws {
    try folder.write(
      entries: Folder.entry("https://h/users?page=1"), Folder.entry("POST", "https://h/users?page=2"),
      Folder.entry("https://h/users?page=3"), Folder.entry("https://other/users"))
    let replay = try RecordingTransport(folder.file())
    let agent = RequestAgent(baseURL: "https://h", transport: replay)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("users", query: ["page": 2, "token": "canary"]))
    }
    #expect(error.kind == .unmatchedStub)
    #expect(
      error.reason == """
        no entry of users.har answers GET https://h/users?page=2&token=<redacted>; nearest: entry 1, GET \
        https://h/users?page=1 (another query); entry 3, GET https://h/users?page=3 (another query). Record the \
        request once with the mode recordMissing
        """)
    struct Keyed: Request {
      typealias Response = String
      let key: Secret = "canary-key"
      var path: String { "bot\(key.reveal())/send" }
    }
    let keyed = try await #require(throws: RequestError.self) { try await agent.send(Keyed()) }
    #expect(
      keyed.cause(as: TransportError.self)?.message.hasPrefix(
        "no entry of users.har answers GET https://h/bot<redacted>/send; nearest: ") == true)
    try folder.write(entries: "", name: "empty.har")
    await #expect(
      throws: TransportError(
        .unmatchedStub,
        "no entry of empty.har answers GET https://h/; the file has no entries. Record the request once with the mode recordMissing"
      )
    ) { try await RecordingTransport(folder.file("empty.har")).answer(.get, "https://h/") }
  }

  @Test("Unused entries are listed")
  func unused() async throws {
    try folder.write(
      entries: Folder.entry("https://h/a"), Folder.entry("https://h/b?token=canary", status: 404),
      Folder.entry("DELETE", "https://h/c", status: 204))
    let replay = try RecordingTransport(folder.file())
    try await replay.answer(.get, "https://h/a")
    #expect(
      replay.unusedEntries.map(\.description) == [
        "users.har, entry 2, GET https://h/b?token=<redacted>, 404 Not Found",
        "users.har, entry 3, DELETE https://h/c, 204 No Content",
      ])
    #expect(
      throws: TransportError(
        .recording,
        "no request used these entries of users.har: entry 2, GET https://h/b?token=<redacted>; entry 3, DELETE "
          + "https://h/c")
    ) { try replay.checkAllUsed() }
  }

  @Test("A redirect to a URL with a secret is replayed to its end")
  func redirect() async throws {
    let server = MockTransport([
      Stub(.get, "/start", answers: .status(302).header("Location", "/end?token=canary&n=1")),
      Stub(.get, "/end", answers: .json(#"{"done":true}"#)),
    ])
    let sent = { (transport: any Transport) in
      let agent = RequestAgent(baseURL: "https://h", transport: transport)
      return try await agent.send(.get("start", as: [String: Bool].self))
    }
    try await RecordingTransport.record(folder.file(), over: server) { _ = try await sent($0) }
    #expect(try !folder.text().contains("canary"))
    let replay = try RecordingTransport(folder.file())
    #expect(try await sent(replay) == ["done": true])
    try replay.checkAllUsed()
  }

  @Test("A cancelled request ends as cancelled, also during the reading of its body")
  func cancelled() async throws {
    let replay = try RecordingTransport(try folder.write(entries: Folder.entry("https://h/a")))
    let signal = CancellationSignal()
    signal.cancel()
    await #expect(throws: TransportError.cancelled) {
      try await replay.answer(.get, "https://h/a", cancellation: signal)
    }
    let later = CancellationSignal()
    let endless = RequestBody.stream(
      AsyncStream<Data> { chunks in
        chunks.onTermination = { _ in }
        later.cancel()
      })
    await #expect(throws: TransportError.cancelled) {
      try await replay.answer(.post, "https://h/a", body: endless, cancellation: later)
    }
    #expect(replay.unusedEntries.count == 1)
  }
}
