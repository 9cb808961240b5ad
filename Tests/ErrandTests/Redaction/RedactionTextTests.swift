import Foundation
import Testing

@testable import Errand

@Suite("Redaction of free text") struct RedactionTextTests {
  @Test(
    "Credentials, pairs and the secrets of URLs are redacted",
    arguments: [
      ("see https://u:p@h/?token=t for more", "see https://<redacted>@h/?token=<redacted> for more"),
      ("got Bearer 1a2b.c", "got Bearer <redacted>"), ("(basic YTpi==)", "(basic <redacted>"),
      ("{\"h\":\"Basic YTpi==\"}", "{\"h\":\"Basic <redacted>\"}"), ("Bearer error1x", "Bearer <redacted>"),
      ("token=t&a=b", "token=<redacted>&a=b"), ("password = t, more", "password = <redacted> more"),
      ("Failed(token: \"a b\", id: 1)", "Failed(token: \"<redacted>\", id: 1)"),
      ("Failed(token: Optional(\"a\"))", "Failed(token: Optional(\"<redacted>\"))"),
      ("authorization=Bearer t u", "authorization=<redacted> u"), ("token:t u", "token:<redacted> u"),
      ("\"token\": \"a\\\"b\" c", "\"token\": \"<redacted>\" c"), ("'token' : 't'", "'token' : '<redacted>'"),
      ("{\\\"token\\\":\\\"a\\\\\\\"b\\\",\\\"c\\\":1}", "{\\\"token\\\":\\\"<redacted>\\\",\\\"c\\\":1}"),
      ("\"token\":{\"a\":\"}\"},\"b\":1", "\"token\":<redacted>,\"b\":1"),
      ("\"token\":12,\"b\":1", "\"token\":<redacted>,\"b\":1"),
      ("Authorization: Bearer a b\r\nAccept: c", "Authorization: <redacted>\r\nAccept: c"),
      ("Cookie: a=b; c=d\nx", "Cookie: <redacted>\nx"), ("X-Api-Key: a b", "X-Api-Key: <redacted>"),
      ("curl -H 'Authorization: Bearer t' -v", "curl -H 'Authorization: <redacted>' -v"),
      ("user[password]=t", "user[password]=<redacted>"), ("pass%77ord=t", "pass%77ord=<redacted>"),
      ("token=\"open", "token=\"<redacted>"), ("token=", "token="), ("token='", "token='"),
      ("token=<redacted>", "token=<redacted>"),
      ("login(token: 't', id: 1)", "login(token: '<redacted>', id: 1)"),
      ("<a><password>t u</password></a>", "<a><password><redacted></password></a>"),
      ("<w:Password type=\"x\">t</w:Password>", "<w:Password type=\"x\"><redacted></w:Password>"),
      ("<password><![CDATA[a]b]]></password>", "<password><![CDATA[<redacted>]]></password>"),
      ("<password><![CDATA[a b", "<password><![CDATA[<redacted>"),
      ("<token id=\"a\">t", "<token id=\"a\"><redacted>"), ("<token/>a<b>c</b>", "<token/>a<b>c</b>"),
      ("<token secret=\"s\">t</token>", "<token secret=\"<redacted>\"><redacted></token>"),
    ])
  func hidden(text: String, shown: String) {
    #expect(Redaction.standard.text(text) == shown)
  }

  @Test(
    "Prose stays unchanged",
    arguments: [
      "", "data.token: expected Int, found a string", "the token is missing",
      "$.password is a number, not a string",
      "Basic authentication failed", "a bearer token.", "status 503 Service Unavailable is not in 200..<300",
      "a=b c:d",
      "write <token> in the header", "<password></password>", "<token><name>Ann</name></token>",
      "Bearer realm=\"x\"", "the bearer", "\\\\\\", "::: === \"\"", "author=Ann", "é: ü=日本",
    ])
  func prose(text: String) {
    #expect(Redaction.standard.text(text) == text)
  }

  @Test("An element in a JSON string and in an unencoded form value is hidden")
  func elements() {
    let (json, form) = (#"{"note":"<token>t1</token>"}"#, "note=<token>t1</token>")
    #expect(
      Redaction.standard.body(Data(json.utf8), contentType: "application/json")
        == #"{"note":"<token><redacted></token>"}"#)
    #expect(
      Redaction.standard.body(Data(form.utf8), contentType: "application/x-www-form-urlencoded")
        == "note=<token><redacted></token>")
  }

  @Test("A second redaction changes nothing")
  func idempotent() {
    let text = "https://u:p@h/?token=t Bearer abc token=t \"secret\":\"s\" Cookie: a"
    let once = Redaction.standard.text(text)
    #expect(Redaction.standard.text(once) == once)
  }

  @Test("Custom names are redacted, and the redaction none hides nothing")
  func custom() {
    #expect(Redaction.standard.hiding(fields: ["pin"]).text("pin=1") == "pin=<redacted>")
    #expect(Redaction.standard.hiding(headers: ["Internal"]).text("Internal: a b") == "Internal: <redacted>")
    #expect(Redaction.none.text("Bearer abc token=t https://u:p@h") == "Bearer abc token=t https://u:p@h")
  }
}
