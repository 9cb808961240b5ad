import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// Users write passwords into URLs, and sometimes forget to encode the passwords.
@Suite("No password of a URL is printed, however odd the URL")
struct OddURLCanaryTests {
  private static let canary = "s3cr3tCanary"

  @Test(
    "Everything before the last @ is hidden if the port is invalid, and only digits are shown as a port",
    arguments: [
      ("http://bob:s3cr/et@db.example/x", "http://<redacted>@db.example/x"),
      ("http://bob:s3cr#et@db.example/x", "http://<redacted>@db.example/x"),
      ("http://bob:s3cr?et@db.example/x?a=1", "http://<redacted>@db.example/x?a=1"),
      ("http://bob:s3cret", "http://bob:<redacted>"), ("http://bob:s3cret/a", "http://bob:<redacted>"),
      ("http://a@bob:s3cr/et@db/x", "http://<redacted>@db/x"), ("//bob:s3/cret@db", "//<redacted>@db"),
      ("http://bob:/s3cret@db/x", "http://<redacted>@db/x"),
      ("http://[::1]:s3cret/", "http://[::1]:<redacted>"),
      ("http://bob:1234567/s3cret@db/", "http://<redacted>@db/"),
      ("http://bob:s3:80/", "http://bob:<redacted>"),
      ("bob:s3cret@db.example/x", "<redacted>@db.example/x"), ("bob:s3/cret@db/x", "<redacted>@db/x"),
      ("s3cret@db.example/x", "<redacted>@db.example/x"),
      ("https//bob:s3cret@db/x", "https//<redacted>@db/x"),
      ("http://a/https:/bob:s3cret@db", "http://a/https:/<redacted>@db"),
      ("http://a/https:%5C%5Cbob:s3cret@db/", "http://a/<redacted>@db/"),
      ("http://a/https:bob:s3cret@db", "http://a/<redacted>@db"),
      ("http://a/htt%20ps://bob:s3cret@db/", "http://a/htt%20ps://<redacted>@db/"),
      ("http://a//bob:s3cret@db:1", "http://a//<redacted>@db:1"),
      ("mailto:bob:s3cret@db", "<redacted>@db"),
    ])
  func hidden(text: String, shown: String) {
    #expect(Redaction.standard.url(text: text) == shown)
  }

  @Test(
    "Text outside of a password stays",
    arguments: [
      "http://h:8080/@a", "http://h:/x", "http://h:99999/", "http://[::1]:80/a@b", "users/@me", "@me",
      "users/a:b@c",
      "http://h:<redacted>/a", "users:search", "mailto:ann@example.com", "SIP:ann@example.com", "/a:b@c",
    ])
  func shown(text: String) {
    #expect(Redaction.standard.url(text: text) == text)
  }

  @Test("In free text, a full stop or a bracket after a port does not belong to the port")
  func freeText() {
    for text in ["see (http://h:80), http://i:81. or http://j:82!", "origin is http://h:8080, not https://i"]
    {
      #expect(Redaction.standard.text(text) == text)
    }
    #expect(
      Redaction.standard.text("no \"http://bob:s3cr/et@db/x\" here") == "no \"http://<redacted>@db/x\" here")
  }

  /// The password contains the canary among delimiters.
  private static func url(_ random: inout SeededGenerator, _ odd: String) -> String {
    func some() -> String { random.text(random.below(3), of: odd) }
    let password = "x\(some())\(canary)\(some())\(random.pick(["", canary]))\(some())"
    let user = random.pick(["bob", "", "b.o", "bob@corp"])
    let scheme = random.pick(["http://", "https://", "HTTP://", "//", "http:/", "", "ftp://"])
    let host = random.pick(["db.example", "db.example:80", "[::1]", "db", ""])
    return "\(scheme)\(user):\(password)@\(host)\(random.pick(["", "/", "/x", "/x?a=1", "?a=b#c"]))"
  }

  private static func isSeen(_ printed: Any) -> Bool {
    var dumped = ""
    dump(printed, to: &dumped)
    return [String(describing: printed), String(reflecting: printed), dumped].contains { $0.contains(canary) }
  }

  @Test("Texts of URLs and refusals, logs, commands and stubs show no password")
  func texts() {
    var random = SeededGenerator(seed: 21)
    for _ in 0..<4_000 {
      let text = Self.url(&random, "/?#@:%&=;,!~|^[]{}\\ é\u{202E}")
      #expect(!Redaction.standard.url(text: text).contains(Self.canary), "\(text)")
      #expect(!URLParts.shown(text, isBase: true).contains(Self.canary), "\(text)")
      #expect(!URLParts.shown(text).contains(Self.canary), "\(text)")
      do {
        _ = try URLJoining.url(base: text, path: "x", query: [])
      } catch {
        #expect(!error.message.contains(Self.canary) && !Self.isSeen(error), "\(text)")
      }
      #expect(!Self.isSeen(Stub(.get, text, answers: .status(200))), "\(text)")
      #expect(!Self.isSeen(OneOffRequest.get(text)), "\(text)")
      #expect(!Self.isSeen(RequestAgent(baseURL: text)), "\(text)")
      let free = Self.url(&random, "/?#@:%&=;,!~")
      if free.contains("://") {
        #expect(!Redaction.standard.text("no answer from \"\(free)\"").contains(Self.canary), "\(free)")
        #expect(!"\(["Location": free] as HTTPHeaders)".contains(Self.canary), "\(free)")
      }
    }
  }

  @Test(
    "Dispatches that fail on such URLs show no password: errors, reports, logs, explanations and commands")
  func dispatches() async throws {
    var random = SeededGenerator(seed: 22)
    let printed = SecretCanaryTests.Printed()
    for _ in 0..<150 {
      // If the password contains `@` before one of `/?#`, the end of the password parses as a host.
      let text = Self.url(&random, "/?#:%&=;,!~|[] ")
      let logger = ConsoleLogger(level: .body) { printed.add("log", $0) }
      let agent = RequestAgent(
        baseURL: text, transport: MockTransport { _ in .status(404) }, accessories: [logger])
      printed.add("agent", of: agent)
      for request in [OneOffRequest<Void>.get("x"), .get(text)] {
        do {
          let explained = try await agent.explain(request)
          printed.add("explanation", of: explained)
          printed.add("command", explained.curlCommand)
        } catch {
          printed.add("refused explanation", of: error)
        }
        do {
          try await agent.send(request)
        } catch {
          printed.add("error", of: error)
          printed.add("report", of: (error as? RequestError)?.report as Any)
        }
      }
      if let url = URL(string: text) { printed.add("request", HTTPRequest(url: url).curlCommand()) }
    }
    #expect(printed.all.count > 1_000)
    for (name, text) in printed.all where text.contains(Self.canary) { Issue.record("\(name): \(text)") }
  }

  @Test("dump shows the method and path of a stub, and neither bytes nor secrets of its answers")
  func stubs() {
    let answer = MockAnswer.text(Self.canary).header("Set-Cookie", Self.canary)
    let stub = Stub(.get, "https://bob:\(Self.canary)@h/?token=\(Self.canary)", answers: answer)
      .header("Cookie", Self.canary).query("password", Self.canary)
    let served = MockAnswer.raw(.send(Self.canary), .close)
    let unused = #expect(throws: UnusedStubs.self) { try MockTransport([stub]).checkAllUsed() }
    let bytes = Self.canary.utf8.map { "- \($0)" }
    for value in [stub, [stub], answer, served, unused as Any] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      #expect(!Self.isSeen(value) && !bytes.allSatisfy(dumped.contains), "\(dumped)")
    }
    #expect(
      String(reflecting: stub).hasPrefix(
        "GET https://<redacted>@h/?token=<redacted> (OddURLCanaryTests.swift:"))
    #expect(
      "\(answer)" == "200 OK, Content-Type: text/plain; charset=utf-8, Set-Cookie: <redacted>, 12 bytes")
  }
}
