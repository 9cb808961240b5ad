import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Exact comparison")
struct ExactMatchingTests {
  /// A composed character, and the same character decomposed.
  private static let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")

  struct Row: Sendable, CustomTestStringConvertible {
    let pattern: TextPattern
    let text: String
    let matches: Bool
    var testDescription: String { "\(pattern) and \(text.debugDescription)" }

    init(_ pattern: TextPattern, _ text: String, _ matches: Bool) {
      (self.pattern, self.text, self.matches) = (pattern, text, matches)
    }
  }

  static let rows = [
    Row(.equal(composed), composed, true), Row(.equal(composed), decomposed, false),
    Row(.equal(decomposed), composed, false), Row(.not(.equal(composed)), decomposed, true),
    Row(.equalIgnoringCase("CAF\u{c9}"), composed, true),
    Row(.equalIgnoringCase("CAF\u{c9}"), decomposed, false),
    Row(.prefix("cafe"), decomposed, true), Row(.prefix("\r"), "\r\nb", true),
    Row(.prefix("ab"), "a", false), Row(.suffix("\n"), "a\r\n", true),
    Row(.suffix("\u{301}"), decomposed, true),
    Row(.suffix("ab"), "b", false), Row(.contains("\n"), "a\r\nb", true),
    Row(.contains("\u{e9}"), decomposed, false),
    Row(.contains("e"), decomposed, true), Row(.contains("ab"), "a", false), Row(.contains(""), "", true),
  ]

  @Test("A pattern compares bytes, not canonical equivalence", arguments: rows)
  func patterns(row: Row) async throws {
    let stub = Stub(.post, "/a", answers: .status(200)).body(row.pattern)
    let exchange = { (transport: MockTransport) in
      try await transport.exchange(.post, "https://h/a", body: .data(Data(row.text.utf8)))
    }
    if row.matches {
      _ = try await exchange(MockTransport([stub]))
    } else {
      await #expect(throws: TransportError.self) { _ = try await exchange(MockTransport([stub])) }
    }
  }

  @Test(
    "Paths, queries and field names are compared by bytes",
    arguments: [
      ("/p/caf\u{e9}", "/p/cafe%CC%81", "/p/caf%C3%A9"), ("/p/caf\u{e9}*", "/p/cafe%CC%81s", "/p/caf%C3%A9s"),
      ("/p/*\u{e9}", "/p/cafe%CC%81", "/p/caf%C3%A9"), ("/p/\u{e9}{id}", "/p/e%CC%817", "/p/%C3%A97"),
      ("/*/caf\u{e9}", "/p/cafe%CC%81", "/p/caf%C3%A9"), ("/q?n=\u{e9}", "/q?n=e%CC%81", "/q?n=%C3%A9"),
      ("/q?a=b%3Dc", "/q?a%3Db=c", "/q?a=b%3dc"), ("/q?a%26b=1", "/q?a&b=1", "/q?a%26b=1"),
      ("/q?a=&b", "/q?a&b=", "/q?b&a="),
    ])
  func places(_ written: String, _ other: String, _ same: String) async throws {
    let transport = MockTransport([Stub(.get, written, answers: .status(200))])
    try await transport.exchange(.get, "https://h\(same)")
    _ = try await transport.refusal(of: .get, "https://h\(other)")
  }

  @Test("Names with equal first 64 letters are different")
  func longNames() async throws {
    let name = String(repeating: "a", count: 64)
    let transport = MockTransport([Stub(.get, "/*/\(name)x"), Stub(.get, "/*/\(name)y*")])
    try await transport.exchange(.get, "https://h/u/\(name)x")
    _ = try await transport.refusal(of: .get, "https://h/u/\(name)z")
  }

  @Test("Items, cookies, fields and parts are found by their exact names")
  func names() async throws {
    let stub = Stub(.post, "/a", answers: .status(200))
    for stub in [stub.query("\u{e9}"), stub.cookie("\u{e9}"), stub.formBody(["\u{e9}": "1"])] {
      let transport = MockTransport([stub])
      for (name, isSame) in [("\u{e9}", true), ("e\u{301}", false)] {
        let send = {
          try await transport.exchange(
            .post, "https://h/a?\(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")=1",
            headers: ["Cookie": "\(name)=1"], body: .data(Data("\(name)=1".utf8)))
        }
        if isSame {
          _ = try await send()
        } else {
          await #expect(throws: TransportError.self) { _ = try await send() }
        }
      }
    }
  }

  @Test("A JSON body matches with each member exactly once, and texts by their bytes")
  func json() async throws {
    let stub = Stub(.post, "/a", answers: .status(200))
    let exact = stub.exactJSONBody(#"{"a":1,"b":[{"c":"\#(Self.composed)"}]}"#)
    let transport = MockTransport([exact])
    let refusal = { (body: String) in
      try await transport.refusal(of: .post, "https://h/a", body: .data(Data(body.utf8)))
        .split(separator: "\n").last ?? ""
    }
    try await transport.exchange(
      .post, "https://h/a", body: .data(Data(#"{"b":[{"c":"caf\u00e9"}],"a":1.0}"#.utf8)))
    #expect(
      try await refusal(#"{"a":2,"a":1,"b":[{"c":"\#(Self.composed)"}]}"#)
        == "1. \(exact): body has more than one member named a")
    #expect(
      try await refusal(#"{"a":1,"b":[{"c":"\#(Self.composed)","c":0}]}"#)
        == "1. \(exact): body has more than one member named c")
    #expect(
      try await refusal(#"{"a":1,"b":[{"c":"\#(Self.decomposed)"}]}"#)
        == #"1. \#(exact): body at b[0].c is "\#(Self.decomposed)", not "\#(Self.composed)""#)
    // Matching a part of a body uses the first of two equal members, like a decoder.
    try await MockTransport([stub.jsonBody(#"{"a":1}"#)]).exchange(
      .post, "https://h/a", body: .data(Data(#"{"a":1,"a":2}"#.utf8)))
  }

  @Test("A recording distinguishes fields by their escapes, and texts by their bytes")
  func recordings() async throws {
    let folder = RecordingFolder()
    let form = { (body: String, answer: String) in
      """
      {"request":{"method":"POST","url":"https://h/f","postData":{"mimeType":"application/x-www-form-urlencoded","text":"\(body)"}},
      "response":{"status":200,"content":{"text":"\(answer)"}}}
      """
    }
    let file = try folder.write(
      entries: form("a=1&b=2", "two"), form("a=1%0Ab=2", "one"), form("n=1=2", "inner"),
      form("n%3D1=2", "outer"), form("a+b=%2B", "plus"), form("n=caf%C3%A9", "composed"),
      form("n=cafe%CC%81", "decomposed"),
      RecordingFolder.entry("https://h/caf%C3%A9", body: "composed"),
      RecordingFolder.entry("https://h/q?a=b%3Dc", body: "value"),
      RecordingFolder.entry("https://h/q?a%3Db=c", body: "name"))
    let transport = try RecordingTransport(file)
    let type = "application/x-www-form-urlencoded"
    for (body, answer) in [
      ("a=1%0ab=2", "one"), ("a=1&b=2", "two"), ("n%3d1=2", "outer"), ("n=1%3D2", "inner"),
      ("a%20b=%2b", "plus"), ("n=cafe%cc%81", "decomposed"), ("n=caf%c3%a9", "composed"),
    ] {
      let sent = RequestBody.data(Data(body.utf8), contentType: type)
      #expect(try await transport.line(.post, "https://h/f", body: sent) == "200 \(answer)", "\(body)")
    }
    #expect(try await transport.line(.get, "https://h/q?a%3Db=c") == "200 name")
    #expect(try await transport.line(.get, "https://h/q?a=b%3dc") == "200 value")
    await #expect(throws: TransportError.self) { try await transport.line(.get, "https://h/cafe%CC%81") }
  }
}
