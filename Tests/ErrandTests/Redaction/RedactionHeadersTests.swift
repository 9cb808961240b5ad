import Testing

@testable import Errand

@Suite("Redaction of headers") struct RedactionHeadersTests {
  @Test(
    "The values of secret names are redacted in any letter case",
    arguments: [
      ("Authorization", "Bearer abc", "Bearer <redacted>"),
      ("authorization", "Basic YTpi", "Basic <redacted>"),
      ("Proxy-Authorization", "Digest username=\"a\"", "Digest <redacted>"),
      ("Authorization", "GoogleLogin auth=abc", "<redacted>"), ("Authorization", "abc", "<redacted>"),
      ("COOKIE", "a=b; c=d", "<redacted>"), ("Set-Cookie", "a=b; Path=/", "<redacted>"),
      ("X-API-Key", "abc", "<redacted>"), ("x_api_key", "abc", "<redacted>"), ("X-Auth", "abc", "<redacted>"),
      ("X-Csrf-Token", "abc", "<redacted>"), ("Client-Secret", "abc", "<redacted>"),
      ("X-Amz-Signature", "abc", "<redacted>"), ("X-Session-Id", "abc", "<redacted>"),
      ("X-Private-Key", "", "<redacted>"),
    ])
  func hidden(name: String, value: String, shown: String) {
    let redacted = Redaction.standard.headers([name: value])
    #expect(redacted.fields.map(\.name) == [name])
    #expect(redacted[name] == shown)
  }

  @Test(
    "Other values stay, except the secrets in their URLs and pairs",
    arguments: [
      ("Content-Type", "text/html; charset=utf-8", "text/html; charset=utf-8"), ("X-Author", "Ann", "Ann"),
      ("Access-Control-Allow-Credentials", "true", "true"),
      ("WWW-Authenticate", "Bearer realm=\"a b\", error=\"x\"", "Bearer realm=\"a b\", error=\"x\""),
      (
        "Location", "https://u:p@h/a?token=t&b=1#access_token=t",
        "https://<redacted>@h/a?token=<redacted>&b=1#access_token=<redacted>"
      ),
      ("Location", "/a?%74oken=t", "/a?%74oken=<redacted>"),
      ("Referer", "https://u:p@h", "https://<redacted>@h"), ("Content-Location", "?sig=t", "?sig=<redacted>"),
      ("Link", "<https://h/?token=t>; rel=next", "<https://h/?token=<redacted>>; rel=next"),
      ("X-Upstream", "https://u:p@h Bearer abc", "https://<redacted>@h Bearer <redacted>"),
    ])
  func others(name: String, value: String, shown: String) {
    #expect(Redaction.standard.headers([name: value])[name] == shown)
  }

  @Test("Custom names are redacted, and the redaction none hides nothing")
  func custom() {
    let headers: HTTPHeaders = ["X-Internal": "a", "x_internal": "b", "Authorization": "Bearer c"]
    let more = Redaction.standard.hiding(headers: ["X-INTERNAL"]).headers(headers)
    #expect(more.fields.map(\.value) == ["<redacted>", "<redacted>", "Bearer <redacted>"])
    #expect(Redaction.none.headers(headers) == headers)
    let only = Redaction.none.hiding(headers: ["X-Internal"]).headers(headers)
    #expect(only.fields.map(\.value) == ["<redacted>", "<redacted>", "Bearer c"])
  }

  @Test("Redactions compare by their hidden names")
  func values() {
    #expect(Redaction.standard.hiding(fields: ["pin"]) == Redaction.standard.hiding(fields: ["PIN"]))
    #expect(Redaction.standard != .none)
    #expect(Redaction.standard.hiding() == .standard)
  }
}
