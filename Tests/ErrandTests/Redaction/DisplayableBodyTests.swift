import Foundation
import Testing

@testable import Errand

@Suite("Display of bodies")
struct DisplayableBodyTests {
  static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

  /// The case, or the text of a text body.
  static func shown(_ body: Data, _ type: String? = nil, secrets: Secret...) -> String {
    switch DisplayableBody(body, type: type, redaction: Redaction.standard.hiding(secrets: secrets)) {
    case .text(let text): text
    case .picture(let type): "(\(type))"
    case .bytes: "(bytes)"
    case .byteCountOnly: "(counted)"
    }
  }

  static func bytes(_ text: String, _ encoding: String.Encoding) -> Data {
    text.data(using: encoding) ?? Data()
  }

  @Test("Text is decoded by its charset or its byte order mark")
  func text() {
    #expect(Self.shown(Self.bytes("aé", .utf16BigEndian), "text/plain; charset=utf-16be") == "aé")
    #expect(
      Self.shown(Data([0xFF, 0xFE]) + Self.bytes("{}", .utf16LittleEndian), "application/json") == "{}")
    #expect(Self.shown(Self.bytes("aé", .utf32LittleEndian), "text/plain; charset=utf-32le") == "aé")
    #expect(Self.shown(Data([0x61, 0xE9]), "text/plain; charset=iso-8859-1") == "aé")
    #expect(Self.shown(Data("a\u{1}".utf8)) == "(bytes)")
    #expect(Self.shown(Data("a\u{1}".utf8), "text/plain") == "a\u{1}")
  }

  @Test(
    "A known secret in binary bytes is found in any charset",
    arguments: ["s3cret-value", "pässwörd", "geheim"])
  func known(_ value: String) {
    let secret = Secret(value)
    let encodings: [String.Encoding] = [
      .utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .isoLatin1,
    ]
    // In UTF-32, the search finds a value by removing NUL bytes, which only works for ASCII.
    for encoding in encodings
    where !(encoding == .utf32BigEndian || encoding == .utf32LittleEndian) || value != "pässwörd" {
      for start in [Data([0]), Data([1, 0]), Data([0xFF, 0, 0, 0x80])] {
        let body = start + Self.bytes(value, encoding) + Data([0, 0, 0x80])
        #expect(Self.shown(body, secrets: secret) == "(counted)", "\(encoding) after \(start.count)")
        #expect(Self.shown(Self.png + body, "image/png", secrets: secret) == "(counted)")
        #expect(Self.shown(body, secrets: "another-one") == "(bytes)")
      }
    }
    let encoded = Data(value.utf8).base64EncodedString()
    #expect(Self.shown(Data([0]) + Self.bytes(encoded, .utf16LittleEndian), secrets: secret) == "(counted)")
  }

  @Test("A short secret in binary bytes counts next to any bytes")
  func short() {
    let redaction = Redaction.standard.hiding(values: Set([HiddenValue(learned: "hunt2")].compactMap { $0 }))
    let body = Data([0, 0xC3]) + Data("hunt2x".utf8)
    guard case .byteCountOnly = DisplayableBody(body, type: nil, redaction: redaction) else {
      Issue.record("it is shown")
      return
    }
  }

  @Test("A secret name with a value counts, in a picture and in nearly valid text")
  func names() {
    let json = Data(#"{"access_token":"abcdefgh","a":""#.utf8)
    #expect(Self.shown(json + Data([0xFF, 0xFE, 0x22, 0x7D]), "application/json") == "(counted)")
    #expect(Self.shown(json + Data([0x22, 0x7D, 0]), "application/json") == "(counted)")
    #expect(Self.shown(Self.png + json, "image/png") == "(counted)")
    #expect(Self.shown(Data([0]) + Self.bytes("token=abcdefgh", .utf16LittleEndian)) == "(counted)")
    #expect(Self.shown(Self.png + Data("Created with a camera".utf8) + Data(0...255)) == "(image/png)")
    #expect(Self.shown(Data(0...255)) == "(bytes)")
  }

  @Test("Text with a wrong declared charset is only counted if the text has a secret outside of ASCII")
  func mistaken() {
    let body = Data("it is pässwörd".utf8)
    let type = "text/plain; charset=iso-8859-1"
    #expect(Self.shown(body, type, secrets: "pässwörd") == "(counted)")
    #expect(Self.shown(body, type, secrets: "another-one") == "it is pÃ¤sswÃ¶rd")
  }
}
