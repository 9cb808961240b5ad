import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Redaction of echoed values and custom names")
struct RedactionEchoTests {
  static func redaction(after headers: HTTPHeaders = [:], body: RequestBody = .none) -> Redaction {
    let url = URL(fileURLWithPath: "/")
    return .standard.hidingCredentials(
      of: HTTPRequest(url: url, method: .post, headers: headers, body: body))
  }

  @Test("A long ticket is redacted in the server's echo, and so is a value of a long body")
  func long() throws {
    let ticket = Data((0..<12_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      .base64EncodedString()
    let negotiated = Self.redaction(after: ["Authorization": "Negotiate \(ticket)"])
    #expect(negotiated.text("got \(ticket), thanks") == "got <redacted>, thanks")
    let pad = String(repeating: "x", count: 1_200_000)
    let logged = Self.redaction(
      after: ["Content-Type": "application/json"],
      body: .text(#"{"password":"Zq7tokSECRET","pad":"\#(pad)"}"#, contentType: "application/json"))
    #expect(logged.text("bad password Zq7tokSECRET") == "bad password <redacted>")
  }

  @Test(
    "Characters beyond ASCII are redacted as HTML entities, and as Latin-1 in URLs",
    arguments: [
      "p&auml;ssw&ouml;rd-S", "p&#228;ssw&#xf6;rd-S", "p%E4ssw%F6rd-S", "p%25e4ssw%25F6rd-S",
      "p%C3%A4ssw%C3%B6rd-S",
    ])
  func latin(_ text: String) {
    let redaction = Redaction.standard.hiding(secrets: ["p\u{e4}ssw\u{f6}rd-S"])
    #expect(redaction.hidingValues("bad \(text)!") == "bad <redacted>!")
    #expect(redaction.hidingValues("&yuml;&nbsp;") == "&yuml;&nbsp;")
  }

  @Test("Base64 over several lines is a single value", arguments: ["\n", "\r\n", #"\n"#, #"\r\n"#])
  func lines(_ lineBreak: String) {
    let secret = String((0..<200).map { Character(Unicode.Scalar(UInt8(0x21 + $0 * 7 % 90))) })
    let encoded = Array(Data("user:\(secret)".utf8).base64EncodedString())
    let lines = stride(from: 0, to: encoded.count, by: 64).map { start in
      String(encoded[start..<min(start + 64, encoded.count)])
    }
    let shown = Redaction.none.hiding(secrets: [Secret(secret)])
      .hidingValues("[\(lines.joined(separator: lineBreak))]")
    #expect(shown.hasSuffix("<redacted>]") && shown.utf8.count < 30)
  }

  @Test("The end of a truncated text shows at most three letters of a value", arguments: [7, 40, 120])
  func cut(_ length: Int) {
    let secret =
      String("Zq7SECRETq91xKabcdefghijklmnop".prefix(length))
      + String(repeating: "y", count: max(0, length - 30))
    let redaction = Self.redaction(after: ["X-Token": secret])
    for count in 4..<length {
      let text = Array("echo: \(secret.prefix(count))".utf8)
      #expect(
        String(decoding: redaction.hidingValues(text, isCut: true), as: UTF8.self) == "echo: <redacted>")
    }
  }

  @Test("The credentials of the first of many requests of a dispatch are known at its end")
  func many() async throws {
    struct Counting: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers["X-Token"] = "token-number-\(context.attempt)."
      }
    }
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let agent = RequestAgent(
      baseURL: "https://a.example", transport: MockTransport { _ in .status(503) }, hooks: [Counting()],
      configuration: configuration)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("x").with(\.retryPolicy, .upTo(40, backoff: .constant(.zero))))
    }
    let redaction = error.link.own
    let text = (1...41).map { "token-number-\($0)." }.joined(separator: " ")
    #expect(redaction?.text(text) == Array(repeating: "<redacted>", count: 41).joined(separator: " "))
  }

  @Test("Set-Cookie2 is redacted like Set-Cookie, and the content of a data URL like a body")
  func odd() {
    #expect(Redaction.standard.headers(["Set-Cookie2": "sid=S"]) == ["Set-Cookie2": "<redacted>"])
    let url = "DATA:application/json,%7B%22access_token%22:%22S%22%7D"
    #expect(Redaction.standard.url(text: url) == "DATA:application/json,<redacted>")
    #expect(Redaction.standard.url(text: "data:,") == "data:,")
    #expect(Redaction.none.url(text: url) == url)
  }

  @Test("A header name also counts in queries, because parameters can become either")
  func fields() {
    let redaction = Redaction.standard.hiding(fields: ["pin"])
    #expect(redaction.url(text: "https://h/?pin=471147&a=1") == "https://h/?pin=<redacted>&a=1")
    #expect(redaction.headers(["Pin": "1"]) == ["Pin": "1"])
  }

  @Test("A name excluded from redaction is printed, and still stays with its origin")
  func shown() {
    let redaction = Redaction.standard.hiding(fields: ["pin"]).showing([
      "total_tokens", "X-Session-Kind", "pin",
    ])
    let body = Data(#"{"total_tokens":7,"pin":1,"token":"S","usage":{"total-tokens":8}}"#.utf8)
    #expect(
      redaction.body(body, contentType: "application/json")
        == #"{"total_tokens":7,"pin":1,"token":"<redacted>","usage":{"total-tokens":8}}"#)
    #expect(
      redaction.headers(["X-Session-Kind": "trial", "X-Session": "S"])
        == ["X-Session-Kind": "trial", "X-Session": "<redacted>"])
    #expect(
      redaction.url(text: "https://h/?total_tokens=7&session=S")
        == "https://h/?total_tokens=7&session=<redacted>")
    #expect(
      !RedirectRules.mayCrossOrigins(.init(name: "X-Session-Kind", value: "trial"), redaction: redaction))
    #expect(RedirectRules.mayCrossOrigins(.init(name: "Accept", value: "a/b"), redaction: redaction))
  }
}
