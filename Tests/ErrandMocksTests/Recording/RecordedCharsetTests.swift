import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Recorded bodies with other charsets")
struct RecordedCharsetTests {
  let folder = RecordingFolder()

  /// Returns the replayed body of a recorded body.
  private func replayed(_ body: Data, _ type: String?, headers: HTTPHeaders = [:]) async throws -> Data {
    let server = MockTransport { _ in .data(body, contentType: type) }
    let recording = try RecordingTransport(folder.file(), mode: .recordAll, over: server)
    try await recording.answer(.get, "https://h/a", headers: headers)
    try recording.save()
    return try await RecordingTransport(folder.file()).answer(.get, "https://h/a").body
  }

  private static func bytes(_ text: String, _ encoding: String.Encoding) -> Data {
    text.data(using: encoding) ?? Data()
  }

  private static let json = #"{"token":"canary","a":"é"}"#
  private static let hidden = #"{"token":"<redacted>","a":"é"}"#

  @Test(
    "Secrets are redacted in any charset, and the other bytes stay unchanged, including the byte order mark")
  func charsets() async throws {
    for (charset, encoding) in [
      ("utf-16le", String.Encoding.utf16LittleEndian), ("utf-16be", .utf16BigEndian),
      ("utf-32le", .utf32LittleEndian), ("utf-16", .utf16BigEndian), ("windows-1252", .windowsCP1252),
    ] {
      let type = "application/json; charset=\(charset)"
      #expect(try await replayed(Self.bytes(Self.json, encoding), type) == Self.bytes(Self.hidden, encoding))
    }
    let mark = Data([0xFF, 0xFE])
    #expect(
      try await replayed(mark + Self.bytes(Self.json, .utf16LittleEndian), "application/json")
        == mark + Self.bytes(Self.hidden, .utf16LittleEndian))
  }

  @Test("Secrets are redacted beside a NUL, and beside bytes that are invalid in the charset")
  func odd() async throws {
    #expect(
      try await replayed(Data(Self.json.utf8) + [0], "application/json") == Data(Self.hidden.utf8) + [0])
    let broken = Data(#"{"token":"canary","a":""#.utf8) + [0xFF, 0x22, 0x7D]
    #expect(
      try await replayed(broken, nil) == Data(#"{"token":"<redacted>","a":""#.utf8) + [0xFF, 0x22, 0x7D])
  }

  @Test("In binary bodies, only the request's values with secret names are redacted")
  func bytes() async throws {
    let headers: HTTPHeaders = ["Authorization": "Bearer canary-of-the-request"]
    let body = Data([0, 1]) + Data("canary-of-the-request".utf8) + [2]
    #expect(
      try await replayed(body, "application/octet-stream", headers: headers)
        == Data([0, 1]) + Data("<redacted>".utf8) + [2])
    let other = Data([0, 1]) + Data(#"{"token":"canary"}"#.utf8)
    #expect(try await replayed(other, "application/octet-stream", headers: headers) == other)
  }

  @Test("A known value is redacted in ISO-8859-1, also without a content type")
  func latin1() async throws {
    let headers: HTTPHeaders = ["Authorization": "Bearer p\u{e4}ssw\u{f6}rd-S"]
    let body = Self.bytes("bad p\u{e4}ssw\u{f6}rd-S, \u{e4}h", .isoLatin1)
    for type in [nil, "text/plain; charset=iso-8859-1", "application/octet-stream"] {
      #expect(
        try await replayed(body, type, headers: headers) == Self.bytes("bad <redacted>, \u{e4}h", .isoLatin1))
    }
  }

  @Test("UTF-16 and UTF-32 are recognised without a charset and a byte order mark, also if truncated")
  func unmarked() async throws {
    for encoding in [
      String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
    ] {
      #expect(
        try await replayed(Self.bytes(Self.json, encoding), "application/json")
          == Self.bytes(Self.hidden, encoding))
      let cut = Self.bytes(Self.json, encoding) + [0]
      #expect(try await replayed(cut, "application/json") == Self.bytes(Self.hidden, encoding) + [0])
    }
  }

  @Test("A content type with a secret is redacted like the field")
  func types() async throws {
    _ = try await replayed(Data("a".utf8), "text/plain; access_token=canary")
    let text = try folder.text()
    #expect(
      !text.contains("canary") && text.contains("\"mimeType\" : \"text/plain; access_token=<redacted>\""))
  }
}
