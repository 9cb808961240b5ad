import ErrandJSON
import Foundation
import Testing

@testable import Errand

@Suite("Redaction by value") struct RedactionValuesTests {
  static let value: String = "pa+ß/\"w \\rd&1"
  static let redaction: Redaction = Redaction.standard.hiding(secrets: [Secret(value), "ab", "plain-secret"])

  @Test(
    "A value is found as written, and in every printed form",
    arguments: [
      ("<\(value)>", "<<redacted>>"), ("x\(value)\(value)y", "x<redacted><redacted>y"),
      ("a=pa%2B%C3%9F%2F%22w%20%5Crd%261&b", "a=<redacted>&b"),
      ("a=pa%2b%c3%9f/%22w+%5crd%261&b", "a=<redacted>&b"),
      ("n=pa%252B%25C3%259F%252F%2522w%2520%255Crd%25261", "n=<redacted>"),
      (#"{"a":"pa+ß\/\"w \\rd&1"}"#, #"{"a":"<redacted>"}"#),
      (#"{"a":"pa\u002b\u00DF/\u0022w \\rd\u00261"}"#, #"{"a":"<redacted>"}"#),
      (#"{"a":"{\"b\":\"pa+ß/\\\"w \\\\rd&1\"}"}"#, #"{"a":"{\"b\":\"<redacted>\"}"}"#),
      (#"Failed(a: "pa+\u{df}/\"w \\rd&1")"#, #"Failed(a: "<redacted>")"#),
      ("<p>pa+ß/&quot;w \\rd&amp;1</p>", "<p><redacted></p>"),
      ("<p>pa&#43;&#xDF;/&#34;w \\rd&amp;1</p>", "<p><redacted></p>"),
      ("plain-secret.", "<redacted>."),
      ("706c61696e2d736563726574 and 706C61696E2D736563726574", "<redacted> and <redacted>"),
      ("cGxhaW4tc2VjcmV0", "<redacted>"), ("user cGxhaW4tc2VjcmV0==", "user <redacted>"),
    ])
  func forms(text: String, shown: String) {
    #expect(Self.redaction.text(text) == shown)
  }

  @Test("A value is found inside of longer Base64 at any offset, and in the URL alphabet")
  func base64() {
    let secret = "~~~???>>>~~~"
    let redaction = Redaction.none.hiding(secrets: [Secret(secret)])
    for before in ["", "a", "ab", "abc", "user:"] {
      for after in ["", "x", "xy", "xyz"] {
        let encoded = Data("\(before)\(secret)\(after)".utf8).base64EncodedString()
        let forURL = encoded.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        for text in [encoded, forURL, encoded.replacing("/", with: "%2F").replacing("+", with: "%2b")] {
          let shown = redaction.text(text)
          #expect(
            shown.contains("<redacted>") && shown.utf8.count <= 10 + 4 * (before.count + after.count + 2))
        }
      }
    }
  }

  @Test(
    "A value of less than four bytes is redacted only as a separate word",
    arguments: [
      ("ab", "<redacted>"), ("(ab)", "(<redacted>)"), ("cab abc ab_ 1ab", "cab abc ab_ 1ab"),
      ("a%2Fab", "a%2F<redacted>"), ("a%41ab", "a%41ab"), ("{\"a\":\"\\nab\"}", "{\"a\":\"\\n<redacted>\"}"),
      ("/ab/c", "/<redacted>/c"), ("éab", "éab"), ("", ""),
    ])
  func short(text: String, shown: String) {
    #expect(Self.redaction.text(text) == shown)
  }

  @Test("A secret is redacted in each public form, under harmless names")
  func everywhere() throws {
    let url = try #require(URL(string: "https://h/plain-secret/x?a=plain-secret#plain-secret"))
    #expect(Self.redaction.url(url) == "https://h/<redacted>/x?a=<redacted>#<redacted>")
    let headers: HTTPHeaders = [
      "X-plain-secret": "a", "Link": "plain-secret; b", "Location": "/plain-secret",
    ]
    #expect(
      Self.redaction.headers(headers) == [
        "X-<redacted>": "<redacted>", "Link": "<redacted>; b", "Location": "/<redacted>",
      ])
    for type in ["text/html", "application/json", "application/x-www-form-urlencoded"] {
      #expect(Self.redaction.body(Data("[plain-secret]".utf8), contentType: type) == "[<redacted>]")
    }
    let cut = Redaction.none.hiding(secrets: ["plain-secret"]).body(Data("x plain-se".utf8), contentType: nil)
    #expect(cut == "x <redacted>")
  }

  @Test("Overlapping values are redacted as a single value, and the marker stays")
  func overlapping() {
    let redaction = Redaction.none.hiding(secrets: ["abcdef", "defghi", "redacted", "Bearer x y"])
    #expect(redaction.text("-abcdefghi-") == "-<redacted>-")
    #expect(redaction.text("<redacted> redacted") == "<redacted> <redacted>")
    #expect(
      Redaction.standard.hiding(secrets: ["my long phrase"]).text("Bearer my long phrase")
        == "Bearer <redacted>")
  }

  @Test("A redaction is a value, and prints no value")
  func isValue() {
    #expect(Redaction.standard.hiding(secrets: []) == .standard)
    #expect(Redaction.standard.hiding(secrets: ["a1"]) == .standard.hiding(secrets: ["a1", "a1"]))
    #expect(Redaction.standard.hiding(secrets: ["a1"]) != .standard)
    #expect(Redaction.standard.hiding(secrets: [""]).text("") == "")
    var dumped = ""
    dump(Self.redaction, to: &dumped)
    for text in [dumped, "\(Self.redaction)", String(reflecting: Self.redaction)] {
      #expect(!text.contains("plain-secret") && !text.contains("112"))
    }
  }

  @Test("Text without a secret stays unchanged, and redacted text has no secret and does not change again")
  func property() {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<1_000 {
      let secret = random.text(4 + random.below(12), of: "abC1%+/\\\"&é <u{}=~.")
      let redaction = Redaction.none.hiding(secrets: [Secret(secret), "zq"])
      let noise = random.text(random.below(40), of: "xyZ0-_,:;()[]'\n")
      #expect(redaction.text(noise) == noise)
      let text = noise + random.pick([secret, Self.escaped(secret, &random)]) + noise
      let shown = redaction.text(text)
      #expect(shown == "\(noise)<redacted>\(noise)", "\(secret) in \(text)")
      #expect(redaction.text(shown) == shown)
      let both = Redaction.standard.hiding(secrets: [Secret(secret)])
      let foreign = random.text(upTo: 40)
      for text in [text, "token=\(text)", "{\"a\":\"\(foreign)\",\"password\":\"\(text)\"}"] {
        let once = both.text(text)
        #expect(both.text(once) == once, "\(text)")
      }
      _ = both.body(Data(random.bytes(upTo: 40)), contentType: nil)
    }
  }

  private static func escaped(_ text: String, _ random: inout SeededGenerator) -> String {
    switch random.below(3) {
    case 0: return text.utf8.map { "%\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
    case 1:
      var bytes: [UInt8] = []
      JSONStringWriter.append(text.utf8, to: &bytes)
      return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    default: return text.unicodeScalars.map { "&#\($0.value);" }.joined()
    }
  }

  @Test("A field given as a name is printed up to its token only")
  func fieldAsName() {
    for (name, token) in [
      ("Authorization: Bearer abcd1234", "Authorization"), ("X-Api-Key abcd1234", "X-Api-Key"),
      ("token=abcd1234", "token"),
    ] {
      let headers = HTTPHeaders([.init(name: name, value: "x")])
      #expect(headers.description == "\(token)…: <redacted>")
      #expect(headers.problem == "the header name \"\(token)…\" is not a token")
    }
  }

  @Test("A cookie without a name is redacted in every echo")
  func namelessCookie() throws {
    let url = try #require(URL(string: "http://a.example/"))
    let request = HTTPRequest(url: url, headers: ["Cookie": "abcd1234efgh; a=b"])
    #expect(
      Redaction.standard.hidingCredentials(of: request).text("you sent abcd1234efgh")
        == "you sent <redacted>")
  }

  @Test("One of many secrets is found after many similar prefixes, and the other text stays")
  func beginnings() {
    let secrets = (0..<20).map { Secret("secret-number-\($0)-of-twenty") }
    let redaction = Redaction.none.hiding(secrets: secrets)
    for part in [
      "secret-number-", "%73", "\\u0073", "&#115;", "secret", "<redacted>", "text of a page ", "\\",
      "\\ud83d\\",
    ] {
      let before = String(repeating: part, count: 10_000 / part.count)
      let body = Data("\(before) secret-number-19-of-twenty".utf8)
      #expect(redaction.body(body, contentType: "text/html") == "\(before) <redacted>", "\(part)")
    }
  }

  @Test(
    "Text that repeatedly begins a long value is redacted at its end",
    arguments: [("a", 50_000, ""), ("%61", 17_000, ""), ("a", 40_000, "\(long) and more")])
  func periodic(part: String, count: Int, end: String) {
    let redaction = Redaction.none.hiding(secrets: [Secret(Self.long)])
    let shown = redaction.text(String(repeating: part, count: count) + end)
    #expect(shown.hasPrefix(String(repeating: part, count: 5)) && shown.hasSuffix("<redacted>"))
    #expect(!shown.contains("b"))
  }

  @Test("A long value is found at its position, and similar prefixes stay")
  func longValue() {
    let value = String(repeating: "a", count: 500) + "b"
    let redaction = Redaction.none.hiding(secrets: [Secret(value)])
    #expect(redaction.text("<\(value)> \(value.dropLast())") == "<<redacted>> \(value.dropLast())")
  }

  static let long: String = String(repeating: "a", count: 8_000) + "b"

  @Test(
    "Values with every escape of JSON and HTML are found",
    arguments: [
      #"a\u005cb+c/d"#, "a\\b&plus;c&sol;d", "a\\b&#000000000043;c&#x0000000002f;d", "&#x61;&bsol;b+c/d",
    ])
  func escapes(_ text: String) {
    let redaction = Redaction.standard.hiding(secrets: ["a\\b+c/d"])
    #expect(redaction.hidingValues("x \(text) y") == "x <redacted> y")
  }

  @Test(
    "Repeated echoes have a constant cost: schemes, and escapes of a long secret",
    .timeLimit(.minutes(10)))
  func repeated() {
    let schemes = String(repeating: "Basic,", count: 100_000)
    #expect(Redaction.standard.text(schemes) == schemes)
    let redaction = Redaction.standard.hiding(secrets: [Secret(String(repeating: "C", count: 4_000))])
    for escaped in [#"\u0043"#, "&#67;", "%43", "%2543"] {
      let field = String(repeating: escaped, count: 10_000)
      for _ in 0..<5 { #expect(redaction.hidingValues(field).hasPrefix("<redacted>")) }
    }
  }

  @Test("Backslashes of up to five nested strings are escapes, and more are not")
  func backslashes() {
    let redaction = Redaction.none.hiding(secrets: ["door\"code"])
    func text(_ count: Int) -> String { "-door\(String(repeating: "\\", count: count))\"code-" }
    for count in [0, 1, 3, 31] { #expect(redaction.text(text(count)) == "-<redacted>-") }
    #expect(redaction.text(text(32)) == text(32))
  }
}
