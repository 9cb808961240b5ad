import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Malformed recordings")
struct MalformedRecordingTests {
  let folder = RecordingFolder()

  static let rows: [(String, String)] = [
    ("", "the file is not JSON: the text ends too early at line 1, column 1"),
    ("{\"log\":{\"entries\":[}}", "the file is not JSON: unexpected '}' at line 1, column 20"),
    ("[]", "expected an object, found an array"),
    ("{}", "there is no \"log\""),
    (#"{"log":{"version":"1.2"}}"#, "log: there is no \"entries\""),
    (#"{"log":{"entries":{}}}"#, "log.entries: expected an array, found an object"),
    (
      #"{"log":{"entries":[{"request":{"method":"GET","url":"u"}}]}}"#,
      "log.entries[0]: there is no \"response\""
    ),
    (
      #"{"log":{"entries":[{"request":{"method":"GET"},"response":{"status":200}}]}}"#,
      "log.entries[0].request: there is no \"url\""
    ),
    (
      #"{"log":{"entries":[{"request":{"method":"GET","url":"u"},"response":{"status":"200"}}]}}"#,
      "log.entries[0].response.status: expected Int, found a string"
    ),
  ]

  @Test("The error names the file and the position", arguments: rows)
  func place(_ text: String, _ clause: String) throws {
    try folder.write(text)
    let error = try #require(throws: TransportError.self) { try RecordingTransport(folder.file()) }
    #expect(error == TransportError(.recording, "users.har is not a HAR 1.2 file: \(clause)"))
  }

  @Test("A missing file is an error if the mode needs the file")
  func missing() throws {
    #expect(
      throws: TransportError(
        .recording, "the recording \(folder.file().path) cannot be read: there is no such file")
    ) { try RecordingTransport(folder.file()) }
    _ = try RecordingTransport(folder.file(), mode: .recordMissing)
  }

  @Test(
    "Endless nesting is an error, not a crash", arguments: ["[", #"{"log":"#], [513, 514, 2_000, 200_000])
  func deep(_ opening: String, _ depth: Int) throws {
    try folder.write(String(repeating: opening, count: depth))
    let error = try #require(throws: TransportError.self) { try RecordingTransport(folder.file()) }
    #expect(
      error
        == TransportError(
          .recording, "users.har is not a HAR 1.2 file: the JSON is nested deeper than 512 levels"))
  }

  @Test(
    "A recorded body that is nested too deep is replayed, recorded and compared as text",
    arguments: [513, 2_000])
  func deepBody(_ depth: Int) async throws {
    let deep = String(repeating: "[", count: depth)
    try await RecordingTransport.record(folder.file(), over: MockTransport { _ in .json(deep) }) {
      transport in
      _ = try await transport.answer(.post, "https://h/a", body: .text(deep, contentType: "application/json"))
    }
    let replaying = try RecordingTransport(folder.file())
    let body = RequestBody.text(deep, contentType: "application/json")
    #expect(try await replaying.line(.post, "https://h/a", body: body) == "200 \(deep)")
  }

  @Test("A byte order mark is skipped")
  func byteOrderMark() async throws {
    try folder.write(
      "\u{FEFF}" + #"{"log":{"entries":[\#(RecordingFolder.entry("https://h/a", body: "b"))]}}"#)
    #expect(try await RecordingTransport(folder.file()).line(.get, "https://h/a") == "200 b")
  }

  @Test("Invalid base64 is an error of the request for that entry")
  func base64() async throws {
    let content = #""content":{"text":"A","encoding":"base64"}"#
    try folder.write(
      entries: #"{"request":{"method":"GET","url":"https://h/a"},"response":{"status":200,\#(content)}}"#)
    await #expect(
      throws: TransportError(
        .recording, "the body of users.har, entry 1, GET https://h/a, 200 OK is not base64")
    ) { try await RecordingTransport(folder.file()).answer(.get, "https://h/a") }
  }

  @Test("A file of many megabytes is read")
  func large() async throws {
    let body = String(repeating: "0123456789abcdef", count: 64_000)
    try folder.write(
      #"{"log":{"entries":["#
        + (0..<24).map { RecordingFolder.entry("https://h/\($0)", body: body) }.joined(separator: ",") + "]}}"
    )
    let replay = try RecordingTransport(folder.file())
    #expect(try await replay.line(.get, "https://h/23") == "200 \(body)")
  }
}
