import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Patterns of texts in the conditions of a stub")
struct TextPatternTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let pattern: TextPattern
    let text: String?
    /// The reported difference, or `nil` if the text matches.
    let difference: String?
    var testDescription: String { "\(pattern), \(text ?? "nothing")" }

    init(_ pattern: TextPattern, _ text: String?, _ difference: String? = nil) {
      self.pattern = pattern
      self.text = text
      self.difference = difference
    }
  }

  static let rows = [
    Row("a", "a"), Row("a", "A", "is A, not a"), Row(.equal("a"), nil, "is missing, not a"),
    Row(.any, ""), Row(.any, nil, "is missing, not any text"),
    Row(.contains("json"), "application/json; q=1"), Row(.contains(""), ""),
    Row(.contains("json"), "text/html", "is text/html, not a text that contains json"),
    Row(.prefix("text/"), "text/html"), Row(.prefix("text/"), "a", "is a, not a text that begins with text/"),
    Row(.suffix(".png"), "a.png"), Row(.suffix(".png"), "a.jpg", "is a.jpg, not a text that ends with .png"),
    Row(.equalIgnoringCase("Ä"), "ä"), Row(.equalIgnoringCase("a"), "b", "is b, not a in any letter case"),
    Row(.matching("[0-9]{2}"), "a12"), Row(.matching("^[0-9]{2}$"), "12"),
    Row(.matching("^[0-9]{2}$"), "123", "is 123, not a text that matches ^[0-9]{2}$"),
    Row(
      .matching("(["), "(", "cannot be compared: the stub's regular expression is malformed: (["),
    Row(
      .not(.matching("(")), "a", "cannot be compared: the stub's regular expression is malformed: ("),
    Row("a\(1)", "a1"),
    Row(["a", .prefix("b")], "bc"),
    Row(["a", .prefix("b")], "c", "is c, not a or a text that begins with b"),
    Row([], "a", "is a, not "),
    Row(.allOf(.prefix("a"), .suffix("c")), "abc"),
    Row(
      .allOf(.prefix("a"), .suffix("c")), "ab",
      "is ab, not a text that begins with a and a text that ends with c"),
    Row(.not("a"), "b"), Row(.not("a"), "a", "is a, not anything but a"),
    Row(.not("a"), nil, "is missing, not anything but a"),
    Row(.not(""), "", "is empty, not anything but empty"),
  ]

  @Test("Each pattern matches as documented, and names the difference", arguments: rows)
  func patterns(row: Row) async throws {
    let stub = Stub(.get, "/a", answers: .status(200)).header("X", row.pattern)
    let headers: HTTPHeaders = row.text.map { ["X": $0] } ?? [:]
    let transport = MockTransport([stub])
    guard let difference = row.difference else {
      try await transport.exchange(.get, "https://h/a", headers: headers)
      return
    }
    let message = try await transport.refusal(of: .get, "https://h/a", headers: headers)
    #expect(message.split(separator: "\n").last == "1. \(stub): header X \(difference)")
  }

  @Test("A regular expression that does not terminate gives up, also if negated", .timeLimit(.minutes(5)))
  func endless() async throws {
    let text = String(repeating: "a", count: 60) + "b"
    let endless = { TextPattern.matching("^(a+)+$", within: .zero) }
    for pattern in [endless(), .not(endless())] {
      let stub = Stub(.post, "/a", answers: .status(200)).body(pattern)
      let message = try await MockTransport([stub]).refusal(of: .post, "https://h/a", body: .text(text))
      #expect(
        message.hasSuffix(
          "body cannot be compared: the stub's regular expression did not finish within 0.0 seconds"
        ))
    }
  }

  @Test("A pattern that needs too much memory reports so, and its negation does not match")
  func deep() async throws {
    let text = String(repeating: "a", count: 200_000)
    for pattern in [
      TextPattern.matching("^(a|b)*$"), .not(.matching("^(a|b)*$")),
      .allOf(.prefix("a"), .matching("^(a|b)*$")),
    ] {
      let transport = MockTransport([Stub(.post, "/a", answers: .status(200)).body(pattern)])
      #expect(
        try await transport.refusal(of: .post, "https://h/a", body: .text(text)).hasSuffix(
          "body cannot be compared: the stub's regular expression needs too much memory for a text of 200000 bytes"
        ))
    }
    for pattern in [
      TextPattern.anyOf(.matching("^(a|b)*$"), .prefix("a")), .not(.allOf(.matching("^(a|b)*$"), "b")),
    ] {
      let transport = MockTransport([Stub(.post, "/a", answers: .status(200)).body(pattern)])
      try await transport.exchange(.post, "https://h/a", body: .text(text))
    }
  }

  @Test("A pattern that gave up is evaluated again for the next text", .timeLimit(.minutes(5)))
  func judgedAnew() async throws {
    let stub = Stub(.get, "/a", answers: .status(200)).query("q", .not(.matching("^(a+)+$")))
    let transport = MockTransport([stub])
    try await transport.exchange(.get, "https://h/a?q=b")
    let endless = "https://h/a?q=\(String(repeating: "a", count: 40))b"
    #expect(try await transport.refusal(of: .get, endless).contains("did not finish within"))
    try await transport.exchange(.get, "https://h/a?q=b")
    #expect(
      try await transport.refusal(of: .get, "https://h/a?q=aa").hasSuffix(
        "query item q is aa, not anything but a text that matches ^(a+)+$"))
  }

  static let json = #"{"a":1,"b":{"c":2}}"#

  static let conditionRows: [(Stub, String?)] = {
    let stub = Stub(.post, "/u/{id}", answers: .status(200))
    return [
      (stub.query("q", .prefix("1")), nil),
      (stub.query("q", .prefix("2")), "query item q is 12, not a text that begins with 2"),
      (stub.variable("id", .matching("^[a-z]+$")), nil),
      (stub.variable("id", "other"), "path variable id is seven, not other"),
      (stub.variable("name", "other"), "path variable name is missing, not other"),
      (stub.cookie("s", .contains("=")), nil), (stub.cookie("s"), nil), (stub.withoutCookie("x"), nil),
      (
        stub.cookie("t", "1"),
        "cookie t is <redacted> (1 character), not <redacted> (1 character, differs at character 1)"
      ),
      (stub.cookie("x"), "cookie x is missing, not any text"),
      (stub.withoutCookie("s"), "cookie s is <redacted> (3 characters), not missing"),
      (stub.body(.contains("\"c\":")), nil), (stub.body(Data(json.utf8)), nil),
      (stub.body("{}"), "body is \(json), not {}"),
      (stub.body(Data("{}".utf8)), "body has \(json.count) bytes, not 2"),
      (stub.body(Data(json.replacing("2", with: "3").utf8)), "body differs from byte 16 on"),
      (stub.exactJSONBody(#"{"b": {"c": 2.0}, "a": 1}"#), nil),
      (stub.exactJSONBody(#"{"a":1,"b":{}}"#), "body at b.c is 2, not missing"),
      (stub.where { _ in nil }, nil),
      (stub.where { "the body has \($0.body.count) bytes" }, "the body has \(json.count) bytes"),
      (stub.where { $0.variables["id"] == "seven" ? nil : "another id" }, nil),
      (stub.where { $0.queryItem("q") == "12" && $0.cookie("t") == "2" ? nil : "others" }, nil),
      (stub.where { (try? $0.json(as: [String: Int].self)) == nil ? nil : "it is flat" }, nil),
    ]
  }()

  @Test("Conditions of items, variables, cookies and bodies", arguments: conditionRows.indices)
  func conditions(_ index: Int) async throws {
    let (stub, difference) = Self.conditionRows[index]
    let transport = MockTransport([stub])
    let headers: HTTPHeaders = ["Cookie": "s=a=b; t=2"]
    let url = "https://h/u/seven?q=12"
    guard let difference else {
      try await transport.exchange(.post, url, headers: headers, body: .text(Self.json))
      return
    }
    let message = try await transport.refusal(of: .post, url, headers: headers, body: .text(Self.json))
    #expect(message.split(separator: "\n").last == "1. \(stub): \(difference)")
  }

  static let partRows: [(Stub, String?)] = {
    let stub = Stub(.post, "/a", answers: .status(201))
    return [
      (stub.part("title", text: .prefix("Sun")), nil),
      (stub.part("photo", filename: .suffix(".jpg"), type: .prefix("image/"), data: Data("JPEG".utf8)), nil),
      (stub.formBody(["title": .not("Moon")]), nil),
      (stub.part("title", text: "Moon"), "body part title is Sunset, not Moon"),
      (stub.part("other"), "body part other is missing"),
      (stub.part("photo", filename: .any, type: .any, data: Data()), "body part photo has 4 bytes, not 0"),
      (stub.part("photo", filename: .not("x"), type: .not("y")), nil),
      (stub.part("title", filename: .not("x")), "body part title is named nothing, not anything but x"),
      (stub.part("title", filename: .any), "body part title is named nothing, not any text"),
      (
        stub.part("title", type: .not("text/html")),
        "body part title is of no type, not anything but text/html"
      ),
      (stub.part("title", filename: "a"), "body part title is named nothing, not a"),
      (
        stub.part("photo", type: .contains("png")),
        "body part photo is image/jpeg, not a text that contains png"
      ),
      (stub.formBody(["title": .suffix("x")]), "body field title is Sunset, not a text that ends with x"),
    ]
  }()

  @Test("Parts of a form, fields and files", arguments: partRows.indices)
  func parts(_ index: Int) async throws {
    let (stub, difference) = Self.partRows[index]
    let transport = MockTransport([stub])
    let headers: HTTPHeaders = ["Content-Type": try #require(StubFileTests.body.contentType)]
    guard let difference else {
      try await transport.exchange(.post, "https://h/a", headers: headers, body: StubFileTests.body)
      return
    }
    let message = try await transport.refusal(
      of: .post, "https://h/a", headers: headers, body: StubFileTests.body)
    #expect(message.split(separator: "\n").last == "1. \(stub): \(difference)")
  }

  @Test("A variable of text can replace any pattern")
  func variables() async throws {
    let (id, token, title, text) = ("seven", "a=b", "Sunset", Self.json)
    let stubs = [
      Stub(.post, "/u/{id}").variable("id", id).cookie("s", token).header("Authorization", "Bearer \(token)")
        .body(text)
    ].under("https://h", headers: ["X-Token": "\(token)"])
    let transport = MockTransport(stubs)
    try await transport.exchange(
      .post, "https://h/u/seven",
      headers: ["Cookie": "s=a=b", "Authorization": "Bearer a=b", "X-Token": "a=b"], body: .text(Self.json))
    let parts = MockTransport(Stub(.post, "/a").part("title", text: title).formBody(["title": title]))
    let type = try #require(StubFileTests.body.contentType)
    try await parts.exchange(
      .post, "https://h/a", headers: ["Content-Type": type], body: StubFileTests.body)
  }

  @Test("No secret of a pattern is printed")
  func secrets() async throws {
    let bearer = "Bearer abcdefghijklmnop.canary"
    #expect(!"\(TextPattern.equal("Authorization: \(bearer)"))".contains("canary"))
    let stub = Stub(.get, "/a").header("Authorization", .prefix(bearer)).cookie("s", .not("canary"))
    let message = try await MockTransport([stub]).refusal(
      of: .get, "https://h/a", headers: ["Cookie": "s=canary"])
    #expect(!message.contains("canary"), "\(message)")
  }
}
