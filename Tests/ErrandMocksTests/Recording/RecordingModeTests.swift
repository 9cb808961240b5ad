import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("The modes of a recording")
struct RecordingModeTests {
  let folder = RecordingFolder()

  @Test("Missing exchanges are appended, and existing exchanges answer")
  func missing() async throws {
    let server = MockTransport { .text("live \($0.path)") }
    try folder.write(entries: RecordingFolder.entry("https://h/b", body: "old"))
    let recording = try RecordingTransport(folder.file(), mode: .recordMissing, over: server)
    var lines: [String] = []
    for path in ["b", "a", "a", "b"] { lines.append(try await recording.line(.get, "https://h/\(path)")) }
    #expect(lines == ["200 old", "200 live /a", "200 live /a", "200 old"])
    try recording.save()
    #expect(server.requests.map(\.path) == ["/a", "/a"])

    let replay = try RecordingTransport(folder.file(), repeatsLast: false)
    lines = []
    for path in ["a", "b", "a"] { lines.append(try await replay.line(.get, "https://h/\(path)")) }
    #expect(lines == ["200 live /a", "200 old", "200 live /a"])
  }

  @Test("A different body counts as missing, even with a single entry")
  func missingBody() async throws {
    let server = MockTransport { .text("live \($0.text)") }
    let url = "https://h/a"
    try folder.write(entries: RecordingFolder.entry("POST", url, body: "old", sent: "[1]"))
    let recording = try RecordingTransport(folder.file(), mode: .recordMissing, over: server)
    let json = { RequestBody.text($0, contentType: "application/json") }
    #expect(try await recording.line(.post, url, body: json("[2]")) == "200 live [2]")
    #expect(try await recording.line(.post, url, body: json("[ 1 ]")) == "200 old")
  }

  @Test("Without missing exchanges the file stays unchanged, byte for byte")
  func nothingMissing() async throws {
    try folder.write(entries: RecordingFolder.entry("https://h/a"))
    let before = try folder.text()
    let recording = try RecordingTransport(
      folder.file(), mode: .recordMissing, over: MockTransport { _ in .status(500) })
    try await recording.answer(.get, "https://h/a")
    try recording.save()
    #expect(try folder.text() == before)
  }

  @Test("Recording everything replaces the file, even a malformed file")
  func all() async throws {
    try folder.write("{")
    try await RecordingTransport.record(folder.file(), over: MockTransport { _ in .text("new") }) {
      try await $0.answer(.get, "https://h/a")
    }
    let replay = try RecordingTransport(folder.file())
    #expect(try await replay.line(.get, "https://h/a") == "200 new")
  }

  @Test("Passing through neither reads nor writes")
  func passThrough() async throws {
    let transport = try RecordingTransport(
      folder.file(), mode: .passThrough, over: MockTransport { _ in .text("live") })
    #expect(try await transport.line(.get, "https://h/a") == "200 live")
    try transport.save()
    #expect(!FileManager.default.fileExists(atPath: folder.file().path))
  }

  @Test("The capabilities are those of the underlying transport, in every mode")
  func capabilities() throws {
    let below = MockTransport(capabilities: TransportCapabilities(contentCodings: ["br"])) { _ in .status(200)
    }
    try folder.write(entries: "")
    for mode in [RecordingTransport.Mode.replay, .recordMissing, .recordAll, .passThrough] {
      #expect(
        try RecordingTransport(folder.file(), mode: mode, over: below).capabilities == below.capabilities)
    }
  }

  @Test("A scope saves at its end, unless the scope fails")
  func scope() async throws {
    let server = MockTransport { _ in .text("live") }
    await #expect(throws: CancellationError.self) {
      try await RecordingTransport(folder.file(), mode: .recordAll, over: server).saving { transport in
        try await transport.answer(.get, "https://h/a")
        throw CancellationError()
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file().path))
    let line = try await RecordingTransport(folder.file(), mode: .recordAll, over: server).saving {
      try await $0.line(.get, "https://h/a")
    }
    #expect(line == "200 live")
    #expect(try await RecordingTransport(folder.file()).line(.get, "https://h/a") == "200 live")
  }

  @Test("A scope runs on its caller's actor") @MainActor
  func isolation() async throws {
    var seen: [String] = []
    let recording = try RecordingTransport(
      folder.file(), mode: .recordAll, over: MockTransport { _ in .text("live") })
    try await recording.saving { seen.append(try await $0.line(.get, "https://h/a")) }
    #expect(seen == ["200 live"])
  }

  @Test("Concurrent exchanges and saves lose no exchange")
  func storm() async throws {
    let server = MockTransport { .chunks([Data($0.path.utf8), Data("!".utf8)]) }
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          #expect(try await recording.line(.get, "https://h/\(index)") == "200 /\(index)!")
          if index % 10 == 0 { try recording.save() }
        }
      }
      try await group.waitForAll()
    }
    try recording.save()
    let replay = try RecordingTransport(folder.file())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          let line = try await replay.line(.get, "https://h/\(index)")
          #expect(line == "200 /\(index)!")
        }
      }
      try await group.waitForAll()
    }
    try replay.checkAllUsed()
  }

  @Test("Streams are forwarded with length and bytes, including streams that can be read once")
  func streams() async throws {
    let server = MockTransport { .text("\($0.text)") }
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    let once = AsyncStream<Data> { chunks in
      for text in ["a", "", "b"] { chunks.yield(Data(text.utf8)) }
      chunks.finish()
    }
    #expect(try await recording.line(.put, "https://h/a", body: .stream(once, length: 2)) == "200 ab")
    try recording.save()
    #expect(try folder.text().contains(#""bodySize" : 2"#))
  }

  @Test("An exchange without a response, or with a failed or cancelled body, is not recorded")
  func failed() async throws {
    let cancellation = CancellationSignal()
    let server = MockTransport { request in
      switch request.path {
      case "/refused": .failure(TransportError(.connectionFailed, "refused"))
      case "/stalled": .chunks([Data("a".utf8), Data("b".utf8)], gap: .seconds(100))
      default: .text("whole")
      }
    }
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    await #expect(throws: TransportError(.connectionFailed, "refused")) {
      try await recording.answer(.get, "https://h/refused")
    }
    let url = try #require(URL(string: "https://h/stalled"))
    let answer = try await recording.send(TransportRequest(HTTPRequest(url: url), cancellation: cancellation))
    var chunks = answer.body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("a".utf8))
    cancellation.cancel()
    await #expect(throws: TransportError.cancelled) { try await chunks.next() }
    try await recording.answer(.get, "https://h/whole")
    try recording.save()
    let replay = try RecordingTransport(folder.file())
    #expect(replay.unusedEntries.map(\.url) == ["https://h/whole"])
  }

  @Test("An abandoned body is recorded up to the read bytes, with a note")
  func givenUp() async throws {
    let server = MockTransport { _ in .chunks([Data("one ".utf8), Data("two".utf8)]) }
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    let url = try #require(URL(string: "https://h/a"))
    do {
      let answer = try await recording.send(TransportRequest(HTTPRequest(url: url)))
      var chunks = answer.body.makeAsyncIterator()
      _ = try await chunks.next()
      answer.body.cancel()
      let unread = try await recording.send(TransportRequest(HTTPRequest(url: url, method: .head)))
      _ = unread.head
    }
    try recording.save()
    let text = try folder.text()
    #expect(text.contains(#""comment" : "The reader abandoned the body after 4 bytes.""#))
    #expect(text.contains(#""comment" : "The reader abandoned the body after 0 bytes.""#))
    #expect(try await RecordingTransport(folder.file()).line(.get, "https://h/a") == "200 one ")
  }
}
