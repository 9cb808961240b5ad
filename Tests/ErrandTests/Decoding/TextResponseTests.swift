import Foundation
import Testing

@testable import Errand

@Suite("The text of a body") struct TextResponseTests {
  func text(
    _ bytes: [UInt8], _ type: String?, by serializer: StandardSerializer<String> = .text
  ) async throws -> String {
    let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
    let response = HTTPResponse(headers: headers, body: Data(bytes))
    return try await serializer.serialize(response, context: .test())
  }

  @Test(
    "Every charset of the table is decoded",
    arguments: [
      ("utf-8", [0xC3, 0xA9], "é"), ("UTF8", [0xC3, 0xA9], "é"), ("utf-16", [0xFF, 0xFE, 0xE9, 0], "é"),
      ("utf-16", [0xFE, 0xFF, 0, 0xE9], "é"), ("utf-16", [0, 0xE9], "é"), ("utf-16le", [0xE9, 0], "é"),
      ("utf-16be", [0xD8, 0x3D, 0xDE, 0x00], "😀"), ("utf-32", [0, 0, 0, 0xE9], "é"),
      ("utf-32le", [0xE9, 0, 0, 0], "é"), ("utf-32be", [0, 1, 0xF6, 0], "😀"), ("us-ascii", [0x41], "A"),
      ("iso-8859-1", [0xE9, 0x80], "é\u{80}"), ("iso-8859-2", [0xB1], "ą"), ("iso-8859-5", [0xB0], "А"),
      ("iso-8859-7", [0xE1], "α"), ("iso-8859-9", [0xFD], "ı"), ("iso-8859-15", [0xA4], "€"),
      ("windows-1250", [0x8A], "Š"), ("windows-1251", [0xC0], "А"), ("windows-1252", [0x80], "€"),
      ("windows-1253", [0xE1], "α"), ("windows-1254", [0xFD], "ı"), ("koi8-r", [0xC1], "а"),
      ("shift_jis", [0x82, 0xA0], "あ"), ("gb18030", [0xC4, 0xE3], "你"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42], "あ"),
    ] as [(String, [UInt8], String)])
  func charsets(charset: String, bytes: [UInt8], text: String) async throws {
    #expect(try await self.text(bytes, "text/plain; charset=\(charset)") == text)
    #expect(try await self.text(bytes, "text/plain; x=y;Charset=\"\(charset.uppercased())\"") == text)
    #expect(try await self.text([], "text/plain; charset=\(charset)") == "")
  }

  @Test("Without a declared charset the text is UTF-8, unless a UTF-16 byte order mark is present")
  func undeclared() async throws {
    for type in [nil, "text/html", "text/html; charset=", "nonsense"] {
      #expect(try await text([0xC3, 0xA9], type) == "é")
      #expect(try await text([0xFF, 0xFE, 0xE9, 0], type) == "é")
      #expect(try await text([], type) == "")
    }
  }

  @Test("The byte order mark is removed")
  func marks() async throws {
    let rows: [(String, [UInt8])] = [
      ("utf-8", [0xEF, 0xBB, 0xBF, 0x41]), ("utf-16", [0xFE, 0xFF, 0, 0x41]),
      ("utf-16be", [0xFE, 0xFF, 0, 0x41]),
      ("utf-16le", [0xFF, 0xFE, 0x41, 0]), ("utf-32", [0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0]),
      ("utf-32be", [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41]),
    ]
    for (charset, bytes) in rows {
      #expect(Array(try await text(bytes, "text/plain;charset=\(charset)").unicodeScalars) == ["A"])
    }
  }

  @Test(
    "An unknown charset, or invalid bytes, are refused",
    arguments: [
      ("klingon", [0x41], "the charset \"klingon\" is not known"),
      ("a\\\"b", [0x41], "the charset \"a\\\"b\" is not known"),
      ("EUC-JP", [0x41], "the charset \"EUC-JP\" is not known"),
      ("UTF-8", [0xFF], "the body is not valid utf-8"), ("utf-8", [0xC3], "the body is not valid utf-8"),
      ("utf-16", [0x41], "the body is not valid utf-16"),
      ("utf-16be", [0xD8, 0], "the body is not valid utf-16be"),
      ("us-ascii", [0xE9], "the body is not valid us-ascii"),
      ("utf-32", [0, 0x11, 0, 0], "the body is not valid utf-32"),
      ("windows-1252", [0x81], "the body is not valid windows-1252"),
    ] as [(String, [UInt8], String)])
  func refused(charset: String, bytes: [UInt8], message: String) async {
    await #expect(throws: Refusal(message, kind: .decoding)) {
      try await text(bytes, "text/plain; charset=\"\(charset)\"")
    }
  }

  @Test("Random bytes give text or a refusal in every charset, and UTF-8 round-trips")
  func random() async throws {
    var random = SeededGenerator(seed: 4)
    let charsets = [
      "utf-8", "utf-16", "utf-16le", "utf-32", "us-ascii", "iso-8859-1", "iso-8859-15", "windows-1253",
      "shift_jis",
      "iso-2022-jp", "gb18030", "koi8-r",
    ]
    for _ in 0..<6000 {
      let (bytes, charset) = (random.bytes(upTo: 24), random.pick(charsets))
      let text = try? await text(bytes, "text/plain; charset=\(charset)")
      if charset == "iso-8859-1" { #expect(text?.unicodeScalars.map { UInt8($0.value) } == bytes) }
      if charset == "utf-8", let text, !bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
        #expect(Array(text.utf8) == bytes)
      }
    }
  }

  @Test("An explicit charset overrides the declared charset and the byte order mark")
  func explicit() async throws {
    for type in [nil, "text/html", "text/plain; charset=utf-8", "text/plain; charset=klingon"] {
      #expect(try await text([0x82, 0xA0], type, by: .text(charset: "Shift_JIS")) == "あ")
      #expect(try await text([0xEF, 0xBB, 0xBF], type, by: .text(charset: "windows-1252")) == "ï»¿")
      #expect(try await text([0xEF, 0xBB, 0xBF, 0x41], type, by: .text(charset: "utf-8")) == "A")
      #expect(try await text([], type, by: .text(charset: "koi8-r")) == "")
    }
    await #expect(throws: Refusal(#"the charset "klingon" is not known"#, kind: .decoding)) {
      try await text([0x41], "text/plain; charset=utf-8", by: .text(charset: "klingon"))
    }
    await #expect(throws: Refusal("the body is not valid utf-8", kind: .decoding)) {
      try await text([0xE9], "text/plain; charset=iso-8859-1", by: .text(charset: "UTF-8"))
    }
  }

  @Test("A default charset applies to responses without a known charset or a byte order mark")
  func fallback() async throws {
    let serializer = StandardSerializer<String>.text(undeclared: "windows-1252")
    for type in [nil, "text/html", "text/html; charset=", "nonsense", "text/html; charset=klingon"] {
      #expect(try await text([0x80], type, by: serializer) == "€")
      #expect(try await text([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], type, by: serializer) == "é")
      #expect(try await text([0xFF, 0xFE, 0xE9, 0], type, by: serializer) == "é")
    }
    #expect(try await text([0xC3, 0xA9], "text/html; charset=utf-8", by: serializer) == "é")
    await #expect(throws: Refusal("the body is not valid utf-8", kind: .decoding)) {
      try await text([0x80], "text/html; charset=utf-8", by: serializer)
    }
    await #expect(throws: Refusal(#"the charset "klingon" is not known"#, kind: .decoding)) {
      try await text([0x41], nil, by: .text(undeclared: "klingon"))
    }
    #expect(try await text([0x41], "text/html; charset=utf-8", by: .text(undeclared: "klingon")) == "A")
  }
}
