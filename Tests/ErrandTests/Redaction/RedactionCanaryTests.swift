import Foundation
import Testing

@testable import Errand

@Suite("Redaction of canaries in every location") struct RedactionCanaryTests {
  private static let names = [
    "token", "access_token", "refreshToken", "password", "Passwd", "client_secret", "api-key", "API_KEY",
    "apiKey",
    "x-auth", "credential", "signature", "sessionId", "PHPSESSID", "private_key", "Authorization", "cookie",
  ]

  private static func canary(_ random: inout SeededGenerator) -> String {
    "c" + random.text(8 + random.below(16), of: "abcdefgABCDEFG0123456789-._~+/")
  }

  private static func name(_ random: inout SeededGenerator) -> String {
    String(
      random.pick(names).map { letter in
        switch random.below(3) {
        case 0: Character(letter.uppercased())
        case 1: Character(letter.lowercased())
        default: letter
        }
      })
  }

  private static func percentEncoded(_ text: String, _ random: inout SeededGenerator) -> String {
    text.utf8.map { byte in
      let plain = ASCII.isAlphanumeric(byte) && random.below(4) > 0
      return plain ? String(Unicode.Scalar(byte)) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
    }.joined()
  }

  @Test("No header shows the canary")
  func headers() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<3000 {
      let (name, canary) = (Self.name(&random), Self.canary(&random))
      let value = random.pick([canary, "Bearer \(canary)", "a=\(canary); b=c", "x \(canary)"])
      let headers: HTTPHeaders = [
        "Accept": "*/*", name: value, "Location": "/a?b=c&\(name)=\(canary)",
        "X-Trace": "Bearer \(canary)", "Link": "<https://u:\(Self.percentEncoded(canary, &random))@h/>",
      ]
      #expect(!"\(headers)".contains(canary), "\(name): \(value)")
      #expect(!String(reflecting: HTTPRequest(url: URL(filePath: "/"), headers: headers)).contains(canary))
    }
  }

  @Test("No URL shows the canary, as user info or in a query, and no text with the URL")
  func urls() {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<3000 {
      let (name, canary) = (Self.name(&random), Self.canary(&random))
      let written = Self.percentEncoded(name, &random)
      let query = "a=\(random.below(9))&\(written)=\(canary)&b"
      let userinfo = canary.replacing("/", with: "")
      let text = random.pick([
        "https://h/p?\(query)", "https://h/p#\(query)",
        "https://h?x=1&next=\(Self.percentEncoded("/a?\(query)", &random))",
        "https://h/?next=https://i?\(query)",
      ])
      #expect(!Redaction.standard.url(text: text).contains(canary), "\(text)")
      #expect(!Redaction.standard.text("no answer from \(text), sorry").contains(canary), "\(text)")
      for info in ["\(userinfo):x", "x:\(userinfo)", userinfo] {
        #expect(!Redaction.standard.url(text: "https://\(info)@h/").contains(userinfo))
        #expect(!Redaction.standard.text("\"https://\(info)@h/\"").contains(userinfo))
      }
    }
  }

  @Test("No JSON shows the canary, nested, escaped, truncated or damaged after the canary")
  func json() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<5000 {
      let canary = Self.canary(&random)
      let text = Self.json(
        &random, around: "\"\(Self.escaped(Self.name(&random), &random))\" : \(Self.value(canary, &random))")
      let bytes = random.below(3) == 0 ? text.utf8.dropLast(random.below(text.utf8.count)) : text.utf8[...]
      let type = random.pick(["application/json", "application/problem+json", nil])
      let shown = Redaction.standard.body(Data(bytes), contentType: type)
      #expect(!shown.contains(canary.prefix(8)), "\(text)")
      #expect(
        !Redaction.standard.text("refused: \(text)").contains(canary) || text.contains("\\u"), "\(text)")
    }
  }

  private static func value(_ canary: String, _ random: inout SeededGenerator) -> String {
    switch random.below(5) {
    case 0: "{\"a\": [\"\(canary)\", {\"b\": \"\(canary)\"}]}"
    case 1: "[1, \"}\", \"\(canary)\"]"
    case 2: "\"x\\\"\(canary)\\\\\""
    case 3: canary
    default: "\"\(canary)\""
    }
  }

  private static func escaped(_ name: String, _ random: inout SeededGenerator) -> String {
    guard random.below(3) == 0 else { return name }
    return name.utf8.map { byte in
      random.below(2) == 0 ? String(Unicode.Scalar(byte)) : "\\u00\(String(byte, radix: 16))"
    }.joined()
  }

  private static func json(_ random: inout SeededGenerator, around member: String) -> String {
    var text = "{\"a\": 1, \(member), \"z\": \"é\"}"
    for _ in 0..<random.below(4) {
      text = random.pick(["[\(text), null]", "{\"k\": \(text), \"l\": [\"]\"]}", "[\"\\\"\", \(text)]"])
    }
    return text
  }

  @Test("No form shows the canary")
  func forms() {
    var random = SeededGenerator(seed: 10)
    for _ in 0..<3000 {
      let (name, canary) = (Self.name(&random), Self.canary(&random))
      let nested = random.pick([name, "user[\(name)]", "\(name)[]", "a.\(name)"])
      let body = "x=1&\(Self.percentEncoded(nested, &random))=\(canary)&y=a+b&\(nested)=\(canary)"
      let form = Redaction.standard.body(Data(body.utf8), contentType: "application/x-www-form-urlencoded")
      #expect(!form.contains(canary), "\(body)")
      #expect(form.hasPrefix("x=1&") && form.contains("&y=a+b&"))
      #expect(!Redaction.standard.body(Data(body.utf8), contentType: nil).contains(canary), "\(body)")
    }
  }

  @Test("Any bytes are printed without a crash")
  func random() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<3000 {
      let alphabet = "{}[]\"'\\:=&?#/@% \n,abtoken-Bearer\u{e9}0"
      let text = random.text(random.below(60), of: alphabet)
      let words = (0..<random.below(12)).map { _ in
        random.pick([
          "token", "\"", "\\", ":", "=", "{", "[", "}", "]", "'", "://", "@", "Bearer", " ", "Cookie", "%4",
        ])
      }.joined()
      for text in [text, words, "{\(words)", HTTPHeaders.decode(random.bytes(upTo: 30))] {
        _ = Redaction.standard.text(text)
        _ = Redaction.standard.url(text: text)
        _ = Redaction.standard.headers([text: text])
        for type in [nil, "application/json", "application/x-www-form-urlencoded"] {
          _ = Redaction.standard.body(Data(text.utf8), contentType: type)
        }
      }
    }
  }

  @Test("After repeated prefixes of pairs a secret is still redacted")
  func beginnings() {
    let parts = [
      "token ", "\"a\" ", "\\", "a ", "Bearer ", "{", "token:", "http://", "'", "[\"", "token={", "a\\\"",
      "=",
    ]
    for part in parts {
      let text = String(repeating: part, count: 20_000 / part.count) + "\ntoken=hunter2"
      #expect(!Redaction.standard.text(text).contains("hunter2"), "\(part)")
      let body = Redaction.standard.body(Data("{\(text)".utf8), contentType: nil)
      #expect(!body.contains("hunter2"), "\(part)")
    }
  }
}
