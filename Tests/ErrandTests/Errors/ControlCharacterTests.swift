import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// A server that sends escape sequences for a terminal.
@Suite("Control characters of a server reach no terminal", .timeLimit(.minutes(5)))
struct ControlCharacterTests {
  @Test("Control characters are escaped, and line feeds, tabs and letters stay")
  func text() {
    #expect(
      "\u{1B}[2J\u{7}\u{0}\u{1F}\u{7F}\u{9B}1m\u{9F}".printed
        == #"\u{1B}[2J\u{7}\u{0}\u{1F}\u{7F}\u{9B}1m\u{9F}"#)
    #expect("a\tb\nc\r\nd".printed == "a\tb\nc\\u{D}\nd")
    let plain = "schön 👩‍👩‍👧 naïve\u{A0}"
    #expect(plain.printed == plain)
  }

  @Test("Bidirectional and invisible characters are escaped, and the parts of emoji stay")
  func invisible() {
    #expect(
      "user\u{202E}gpj.exe\u{2066}x\u{2069}\u{200F}\u{61C}".printed
        == #"user\u{202E}gpj.exe\u{2066}x\u{2069}\u{200F}\u{61C}"#)
    #expect(
      "a\u{200B}\u{AD}\u{FEFF}\u{2060}\u{2028}\u{E0041}\u{3164}".printed
        == #"a\u{200B}\u{AD}\u{FEFF}\u{2060}\u{2028}\u{E0041}\u{3164}"#)
    let plain = "👩‍👩‍👧 ❤️ नमस्ते می‌خواهم עברית 日本語 ｶﾞ"
    #expect(plain.printed == plain)
  }

  @Test("Text of a caller or a server is escaped everywhere")
  func everywhere() async throws {
    let odd = "a\u{202E}b"
    let agent = RequestAgent.mocked(by: MockTransport { _ in .status(404).header("X-Odd", odd) })
    let request = OneOffRequest<Void>.get("x", headers: ["X-Odd": odd])
    let error = try await #require(throws: RequestError.self) { try await agent.send(request) }
    var configuration = AgentConfiguration()
    configuration.headers = ["X-Odd": odd]
    let explained = try await agent.explain(request)
    let values: [Any] = [
      error, error.report as Any, error.response as Any, error.request as Any, configuration, explained,
      request,
      OneOffRequest<Void>.get(odd), [odd: 1] as Parameters, RequestAgent(baseURL: "http://h/\(odd)"),
      Refusal(odd), TransportError(.transport, odd),
      Stub(.get, "/\(odd)", answers: .status(200).header("X-Odd", odd)),
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.unicodeScalars.contains("\u{202E}"), "\(text.debugDescription)")
      }
    }
    #expect("\(explained)".contains(#"X-Odd: a\u{202E}b"#))
  }

  @Test("Errors, logs, reports and messages are escaped")
  func printed() async throws {
    let lines = Locked([String]())
    let agent = ReportedExchange.agent(TestClock(autoAdvances: true)) { _ in
      .text("\u{1B}]0;owned\u{7}", status: 500).header("X-Title", "\u{1B}[31m")
    }
    let logger = ConsoleLogger(level: .body) { text in lines.withLock { $0.append(text) } }
    let fetch = ReportedExchange.Fetch("a").with(\.accessories, [logger])
      .with(
        \.validators,
        [.validate { response, _ in throw Refusal("the title is \(response.headers["X-Title"] ?? "")") }])
    let error = try await #require(throws: RequestError.self) { try await agent.send(fetch) }
    #expect(error.description.contains(#"the title is \u{1B}[31m"#))
    #expect(error.description.contains(#""\u{1B}]0;owned\u{7}""#))
    let report = try #require(error.report)
    #expect("\(report)".contains(#"Failed at validate: the title is \u{1B}[31m."#))
    let log = lines.withLock { $0.joined(separator: "\n") }
    #expect(log.contains(#"[1.1] < X-Title: \u{1B}[31m"#) && log.contains(#"[1.1] < \u{1B}]0;owned\u{7}"#))
    for text in [error.description, "\(report)", "\(report.attempts)", "\(report.response as Any)", log] {
      #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" })
    }
  }

  @Test("Thrown errors and the location of the next page are escaped")
  func causes() async throws {
    let agent = ReportedExchange.agent(TestClock(autoAdvances: true)) { _ in
      .text("here").header("Content-Type", "\u{1B}[2Jx")
    }
    let fetch = ReportedExchange.Fetch("a").with(\.validators, [.contentType("application/json")])
    let error = try await #require(throws: RequestError.self) { try await agent.send(fetch) }
    let thrown: [Any] = [
      try #require(error.cause), TransportError(.connectionLost, "it said \u{1B}[2J", code: 7),
      NextPage.url("http://[\u{1B}[2J"), NextPage.query(["\u{1B}[2J": 1]),
    ]
    for value in thrown {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(text.contains("[2J") && !text.unicodeScalars.contains("\u{1B}"), "\(text.debugDescription)")
      }
    }
    #expect("\(thrown[1])" == #"it said \u{1B}[2J (code 7)"#)
  }
}
