import Foundation
import Testing

@testable import Errand

@Suite("Redaction of bodies") struct RedactionBodyTests {
  func shown(_ body: String, _ type: String?, _ redaction: Redaction = .standard) -> String {
    redaction.body(Data(body.utf8), contentType: type)
  }

  @Test(
    "Members of JSON are redacted, and the other text stays as written",
    arguments: [
      (#"{"a":1,"token":"t"}"#, #"{"a":1,"token":"<redacted>"}"#),
      (
        #"{ "Token" : "t" , "b":[{"PASSWORD":"p\"q"}] }"#,
        #"{ "Token" : "<redacted>" , "b":[{"PASSWORD":"<redacted>"}] }"#
      ),
      (#"{"secret":{"a":["}",1]},"b":2}"#, #"{"secret":"<redacted>","b":2}"#),
      (#"{"tokens":["a","b"],"b":2}"#, #"{"tokens":"<redacted>","b":2}"#),
      (
        #"{"token":12,"password":null,"b":true}"#, #"{"token":"<redacted>","password":"<redacted>","b":true}"#
      ),
      (#"{"pass\u0077ord":"p"}"#, #"{"pass\u0077ord":"<redacted>"}"#),
      (#"{"token":"t","token":"u"}"#, #"{"token":"<redacted>","token":"<redacted>"}"#),
      (#"[{"api key":"t"},"token"]"#, #"[{"api key":"<redacted>"},"token"]"#),
      (#"{"next":"https:\/\/u:p@h\/?token=t"}"#, #"{"next":"https://<redacted>@h/?token=<redacted>"}"#),
      (#"{"payload":"{\"token\":\"t\"}"}"#, #"{"payload":"{\"token\":\"<redacted>\"}"}"#),
      (#"{"author":"a","text":"x\u0041"}"#, #"{"author":"a","text":"x\u0041"}"#), ("{}", "{}"), ("[", "["),
    ])
  func json(body: String, shown: String) {
    #expect(self.shown(body, "application/json") == shown)
    #expect(self.shown(body, nil) == shown)
    #expect(self.shown(body, "text/plain") == shown)
  }

  @Test(
    "Members of truncated or broken JSON are redacted",
    arguments: [
      (#"{"token":"can"#, #"{"token":"<redacted>""#), (#"{"token":{"a":"can"#, #"{"token":"<redacted>""#),
      (#"{"token":"#, #"{"token":"#), (#"{"tok"#, #"{"tok"#), (#"{"token":"can\"#, #"{"token":"<redacted>""#),
      (#"{token:"t"}"#, #"{token:"<redacted>"}"#), (#"{'token':'t'}"#, #"{'token':"<redacted>"}"#),
      (#"{"a":}{"token":"t"}"#, #"{"a":}{"token":"<redacted>"}"#),
      (#"{"a":"Bearer can"#, #"{"a":"Bearer <redacted>"#),
    ])
  func broken(body: String, shown: String) {
    #expect(self.shown(body, "application/json") == shown)
  }

  @Test(
    "Brackets, quotes and commas in JSON5 strings and comments end no hidden value",
    arguments: [
      (#"{"token": {'a': '}', 'b': 'can'}, c: 1}"#, #"{"token": "<redacted>", c: 1}"#),
      (#"{"token": ['"', 'can'], c: 1}"#, #"{"token": "<redacted>", c: 1}"#),
      (#"{"token": {/* } */ a: 'can'}, c: 1}"#, #"{"token": "<redacted>", c: 1}"#),
      ("{token: {// }\n a: 'can'}, c: 1}", #"{token: "<redacted>", c: 1}"#),
      (#"{token: /* a, b */ "can", c: 1}"#, #"{token: /* a, b */ "<redacted>", c: 1}"#),
      (#"{"token" /* x */ : "can", c: 1}"#, #"{"token" /* x */ : "<redacted>", c: 1}"#),
      (#"{token /* x */ : "can", c: 1}"#, #"{token /* x */ : "<redacted>", c: 1}"#),
      (#"{token: /* can"#, #"{token: /* can"#), (#"{token: {a: 'x/y', b: 'can'"#, #"{token: "<redacted>""#),
      (#"{token: [1 / 2, 'can'], c: 1}"#, #"{token: "<redacted>", c: 1}"#),
    ])
  func json5(body: String, shown: String) {
    #expect(self.shown(body, "application/json") == shown)
  }

  @Test(
    "Secrets in text that only begins like JSON are redacted",
    arguments: [
      ("[info] token=t", "[info] token=\"<redacted>\""),
      ("[info] token = \"t\"", "[info] token = \"<redacted>\""),
      (
        "[1] see https://u:p@h/?a[]=1&token=t now", "[1] see https://<redacted>@h/?a[]=1&token=<redacted> now"
      ),
      ("[a]=1&tok%65n=t", "[a]=1&tok%65n=<redacted>"), ("{ Bearer t }", "{ Bearer <redacted> }"),
      ("[x] Authorization: Bearer t\ny", "[x] Authorization: \"<redacted>\"\ny"),
    ])
  func nearlyJSON(body: String, shown: String) {
    #expect(self.shown(body, "text/plain") == shown)
  }

  @Test("Fields of forms are redacted")
  func forms() {
    let type = "application/x-www-form-urlencoded; charset=utf-8"
    #expect(
      shown("a=1&Password=p;q&user%5Btoken%5D=t&b", type)
        == "a=1&Password=<redacted>&user%5Btoken%5D=<redacted>&b")
    #expect(shown("pin=1", type, .standard.hiding(fields: ["pin"])) == "pin=<redacted>")
    #expect(shown("user[pin]=1", type, .standard.hiding(fields: ["pin"])) == "user[pin]=<redacted>")
    #expect(shown("a=1&token=t", nil) == "a=1&token=<redacted>")
    #expect(shown("a=1&token=t", "application/json") == "a=1&token=<redacted>")
  }

  @Test("Members with custom names are redacted, at any depth")
  func custom() {
    let redaction = Redaction.standard.hiding(fields: ["pin"])
    #expect(shown(#"{"a":[{"PIN":1}]}"#, nil, redaction) == #"{"a":[{"PIN":"<redacted>"}]}"#)
    #expect(shown(#"{"a":[{"PIN":1}]}"#, nil) == #"{"a":[{"PIN":1}]}"#)
    #expect(shown(#"{"token":1}"#, nil, .none) == #"{"token":1}"#)
  }

  @Test("Binary and multipart bodies are counted")
  func counted() {
    #expect(Redaction.standard.body(Data([0xFF, 0xFE, 0x41]), contentType: "text/plain") == "(3 bytes)")
    #expect(Redaction.standard.body(Data([0x41, 0, 0x42, 0]), contentType: nil) == "(4 bytes)")
    #expect(Redaction.standard.body(Data([0xFF]), contentType: nil) == "(1 bytes)")
    #expect(Redaction.none.body(Data([0x80]), contentType: nil) == "(1 bytes)")
    #expect(shown("--x\r\ntoken", "multipart/form-data; boundary=x") == "(10 bytes)")
    #expect(shown("--x\r\ntoken", "multipart/form-data boundary=x") == "(10 bytes)")
    #expect(shown("--x\r\ntoken", "\t Multipart/mixed,boundary=x") == "(10 bytes)")
    #expect(shown("", nil) == "")
  }

  @Test("A character that is cut at the end is dropped")
  func cut() {
    for (text, character) in [("é", 2), ("日", 3), ("😀", 4)] {
      let whole = Data("a\(text)".utf8)
      for cut in 1..<character {
        #expect(Redaction.standard.body(whole.dropLast(cut), contentType: nil) == "a")
      }
      #expect(Redaction.standard.body(whole, contentType: nil) == "a\(text)")
    }
  }
}
