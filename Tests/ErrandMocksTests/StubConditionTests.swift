import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Conditions of a stub")
struct StubConditionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let stub: Stub
    var query = ""
    var headers: HTTPHeaders = [:]
    var body = ""
    /// The reported difference, or `nil` if the stub answers.
    let difference: String?
    let testDescription: String

    init(
      _ name: String, _ stub: (Stub) -> Stub, query: String = "", headers: HTTPHeaders = [:],
      body: String = "",
      difference: String? = nil
    ) {
      testDescription = name
      self.stub = stub(Stub(.post, "/a", answers: .status(200)))
      self.query = query
      self.headers = headers
      self.body = body
      self.difference = difference
    }
  }

  @Test(
    "A body that is nested too deep matches no JSON condition", arguments: [513, 514, 2_000, 100_000])
  func deep(_ depth: Int) async throws {
    let deep = String(repeating: "[", count: depth)
    let transport = MockTransport([Stub(.post, "/a", answers: .status(200)).jsonBody("[1]")])
    let message = try await transport.refusal(of: .post, "https://h/a", body: .text(deep))
    #expect(message.hasSuffix("body is not JSON, expected [1]"))
    let own = MockTransport([Stub(.post, "/a", answers: .status(200)).jsonBody(deep)])
    #expect(
      try await own.refusal(of: .post, "https://h/a", body: .text("[1]"))
        .contains("the stub's JSON is malformed"))
  }

  @Test("Conditions", arguments: places + headers + json + forms + others)
  func conditions(row: Row) async throws {
    let transport = MockTransport([row.stub])
    let url = "https://h/a\(row.query)"
    guard let difference = row.difference else {
      try await transport.exchange(.post, url, headers: row.headers, body: .text(row.body))
      return
    }
    let message = try await transport.refusal(
      of: .post, url, headers: row.headers, body: row.body.isEmpty ? .none : .text(row.body))
    #expect(message.split(separator: "\n").last == "1. \(row.stub): \(difference)")
  }

  static let places = [
    Row("item", { $0.query("page", "2") }, query: "?a=1&page=2"),
    Row(
      "item, another value", { $0.query("page", "2") }, query: "?page=1",
      difference: "query item page is 1, not 2"),
    Row("item, missing", { $0.query("page", "2") }, difference: "query item page is missing, not 2"),
    Row("item, one of many", { $0.query("f", "b") }, query: "?f=a&f=b"),
    Row(
      "item, none of many", { $0.query("f", "c") }, query: "?f=a&f=b",
      difference: "query item f is a, b, not c"),
    Row("item, encoded", { $0.query("q a", "x y") }, query: "?q%20a=x+y"),
    Row("item, an escaped plus", { $0.query("q", "a+b") }, query: "?q=a%2Bb"),
    Row("item, there", { $0.query("page") }, query: "?page"),
    Row("item, not there", { $0.query("page") }, query: "?pages=1", difference: "query item page is missing"),
    Row("no item", { $0.withoutQuery("page") }, query: "?pages=1"),
    Row(
      "no item, but it is there", { $0.withoutQuery("page") }, query: "?page=1",
      difference: "query item page is 1, not missing"),
    Row(
      "secret item", { $0.query("token", "t0p") }, query: "?token=hunter2",
      difference:
        "query item token is <redacted> (7 characters), not <redacted> (3 characters, differs at character 1)"
    ),
    Row(
      "empty secret item", { $0.query("token", .not("")) }, query: "?token=",
      difference: "query item token is empty, not anything but empty"),
  ]

  static let headers = [
    Row("header", { $0.header("accept", "text/plain") }, headers: ["Accept": "text/plain"]),
    Row(
      "header, another value", { $0.header("Accept", "text/plain") }, headers: ["Accept": "text/html"],
      difference: "header Accept is text/html, not text/plain"),
    Row(
      "header, missing", { $0.header("Accept", "text/plain") },
      difference: "header Accept is missing, not text/plain"),
    Row("header, one of many", { $0.header("X", "2") }, headers: ["X": "1", "X": "2"]),
    Row("header, there", { $0.header("X") }, headers: ["x": ""]),
    Row("header, not there", { $0.header("X") }, difference: "header X is missing"),
    Row("no header", { $0.withoutHeader("X") }),
    Row(
      "no header, but it is there", { $0.withoutHeader("X") }, headers: ["X": "1"],
      difference: "header X is 1, not missing"),
    Row(
      "secret header", { $0.header("Authorization", "Bearer t0p") },
      headers: ["Authorization": "Bearer hunter2"],
      difference: "header Authorization is Bearer <redacted> (14 characters), "
        + "not Bearer <redacted> (10 characters, differs at character 8)"),
    Row(
      "secret of a scheme", { $0.header("Authorization", .prefix("Bearer ")) },
      headers: ["Authorization": "Basic aHVudGVyMg=="],
      difference:
        "header Authorization is Basic <redacted> (18 characters), not a text that begins with Bearer"),
    Row(
      "secret of no known scheme", { $0.header("Authorization", .prefix("Canary ")) },
      difference: "header Authorization is missing, not a text that begins with <redacted> (7 characters)"),
  ]

  static let json = [
    Row("subset", { $0.jsonBody(#"{"a":{"b":1}}"#) }, body: #"{"x":0,"a":{"b":1.0,"c":2}}"#),
    Row(
      "another value", { $0.jsonBody(#"{"address":{"city":"London"}}"#) },
      body: #"{"address":{"city":"Paris"}}"#, difference: #"body at address.city is "Paris", not "London""#),
    Row(
      "another kind", { $0.jsonBody(#"{"a":7}"#) }, body: #"{"a":"7"}"#,
      difference: #"body at a is "7", not 7"#),
    Row(
      "a boolean is no number", { $0.jsonBody(#"{"a":1}"#) }, body: #"{"a":true}"#,
      difference: "body at a is true, not 1"),
    Row(
      "null is there", { $0.jsonBody(#"{"a":null}"#) }, body: "{}",
      difference: "body at a is missing, not null"),
    Row(
      "a digit in a large number", { $0.jsonBody("[9007199254740993]") }, body: "[9007199254740992]",
      difference: "body at [0] is 9007199254740992, not 9007199254740993"),
    Row(
      "a digit in a larger number", { $0.jsonBody("[9223372036854775809]") }, body: "[9223372036854775808]",
      difference: "body at [0] is 9223372036854775808, not 9223372036854775809"),
    Row(
      "a digit in a number beyond 64 bits", { $0.jsonBody("[123456789012345678901]") },
      body: "[123456789012345678902]",
      difference: "body at [0] is 123456789012345678902, not 123456789012345678901"),
    Row(
      "a digit in a long fraction", { $0.jsonBody("[0.1234567890123456789]") },
      body: "[0.1234567890123456781]",
      difference: "body at [0] is 0.1234567890123456781, not 0.1234567890123456789"),
    Row(
      "one number in two spellings", { $0.jsonBody("[1.50,1e20,2e200]") },
      body: "[15e-1,100000000000000000000,20e199]"),
    Row(
      "arrays are whole", { $0.jsonBody(#"{"a":[1]}"#) }, body: #"{"a":[1,2]}"#,
      difference: "body at a is [1,2], not [1]"),
    Row(
      "an element", { $0.jsonBody(#"{"a":[{"b":1}]}"#) }, body: #"{"a":[{"b":2}]}"#,
      difference: "body at a[0].b is 2, not 1"),
    Row(
      "objects in arrays are whole", { $0.jsonBody(#"[{"b":1}]"#) }, body: #"[{"b":1,"c":[]}]"#,
      difference: "body at [0].c is [], not missing"),
    Row(
      "several", { $0.jsonBody(#"{"d":1,"c":1,"b":1,"a":1}"#) }, body: "{}",
      difference: "body at a is missing, not 1; body at b is missing, not 1; body at c is missing, not 1"),
    Row("another root", { $0.jsonBody(#"{"a":1}"#) }, body: "[1]", difference: #"body is [1], not {"a":1}"#),
    Row(
      "no JSON", { $0.jsonBody(#"{"a":1}"#) }, body: "a=1", difference: #"body is not JSON, expected {"a":1}"#
    ),
    Row("no body", { $0.jsonBody(#"{"a":1}"#) }, difference: #"body is empty, not {"a":1}"#),
    Row(
      "malformed here", { $0.jsonBody("{") }, body: "{}",
      difference: "body cannot be compared, because the stub's JSON is malformed: {"),
    Row(
      "secret member", { $0.jsonBody(#"{"user":{"password":"t0p"}}"#) },
      body: #"{"user":{"password":"hunter2"}}"#,
      difference: "body at user.password is <redacted> (7 characters), "
        + "not <redacted> (3 characters, differs at character 1)"),
    Row(
      "secret member of another kind", { $0.jsonBody(#"{"password":"t0p"}"#) }, body: #"{"password":7}"#,
      difference: "body at password is <redacted> (a number), not <redacted> (3 characters)"),
    Row(
      "secret inside", { $0.jsonBody(#"{"a":{"pwd":"t0p"}}"#) }, body: #"{"a":7}"#,
      difference: #"body at a is 7, not {"pwd":"<redacted>"}"#),
  ]

  static let forms = [
    Row("fields", { $0.formBody(["a": "x y", "b": "é"]) }, body: "b=%C3%A9&c=3&a=x+y"),
    Row(
      "other fields", { $0.formBody(["b": "2", "a": "1"]) }, body: "a=3",
      difference: "body field a is 3, not 1; body field b is missing, not 2"),
    Row(
      "secret field", { $0.formBody(["password": "t0p"]) }, body: "password=hunter2",
      difference: "body field password is <redacted> (7 characters), "
        + "not <redacted> (3 characters, differs at character 1)"),
    Row("a name twice", { $0.formBody(["t": "new", "t": "paid"]) }, body: "t=paid&t=x&t=new"),
    Row(
      "a name twice, of which one is there", { $0.formBody(["t": "new", "t": "paid"]) }, body: "t=new&a=1",
      difference: "body field t is new, not new and paid"),
    Row(
      "a name twice with one value", { $0.formBody(["t": "a", "t": "a"]) }, body: "t=a",
      difference: "body field t is a, not a and a"),
    Row("patterns that both match one value", { $0.formBody(["t": .any, "t": "a"]) }, body: "t=a&t=b"),
    Row(
      "a name twice, malformed", { $0.formBody(["t": .matching("("), "t": "a"]) }, body: "t=a",
      difference: "body field t cannot be compared: the stub's regular expression is malformed: ("),
  ]

  static let others = [
    Row("predicate", { $0.where("it has a body") { !$0.body.isEmpty } }, body: "x"),
    Row(
      "predicate, not met", { $0.where("it has a body") { !$0.body.isEmpty } },
      difference: "condition not met: it has a body"),
    Row(
      "all at once", { $0.query("a", "1").header("X").jsonBody("{}") }, query: "?a=1", headers: ["X": "1"],
      body: "{}"),
    Row(
      "all that differ", { $0.query("a", "1").header("X").jsonBody("{}") },
      difference: "query item a is missing, not 1; header X is missing; body is empty, not {}"),
    Row(
      "a long value is cut", { $0.header("X", "1") }, headers: ["X": String(repeating: "x", count: 100)],
      difference: "header X is \(String(repeating: "x", count: 80))…, not 1"),
  ]

  @Test("A changed copy leaves the original stub unchanged")
  func values() async throws {
    let plain = Stub(.get, "/a", answers: .text("plain"))
    let transport = MockTransport([plain.query("v", "2").after(.text("second")).times(1), plain])
    var bodies: [String] = []
    for url in ["https://h/a", "https://h/a?v=2", "https://h/a?v=2"] {
      bodies.append(try await transport.exchange(.get, url).body)
    }
    #expect(bodies == ["plain", "second", "plain"])
  }
}
