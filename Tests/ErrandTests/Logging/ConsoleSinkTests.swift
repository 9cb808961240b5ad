import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandTelemetry

@Suite("The sink of a console logger")
struct ConsoleSinkTests {
  @Test(
    "Colour is used for terminals with colour, unless the user disables colour",
    arguments: [
      (true, ["TERM": "xterm-256color"], true), (true, ["TERM": "xterm", "NO_COLOR": ""], true),
      (true, ["TERM": "xterm", "NO_COLOR": "1"], false), (true, ["TERM": "dumb"], false), (true, [:], false),
      (false, ["TERM": "xterm"], false),
    ])
  func terminal(isTerminal: Bool, environment: [String: String], expected: Bool) {
    #expect(ConsoleSink.hasColours(isTerminal: isTerminal, environment) == expected)
  }

  static func texts(_ sink: (Recorder) -> any LogSink) async -> [String] {
    let recorder = Recorder()
    let agent = RequestAgent.mocked(
      Stub(.get, "/a", answers: .status(503), .text("b\u{1B}[2J\nc")),
      accessories: [ConsoleLogger(level: .body, sink: sink(recorder))])
    _ = try? await agent.send(.get("a").with(\.retryPolicy, .upTo(1)).with(\.comment, "x"))
    _ = try? await agent.send(.get("missing"))
    return recorder.events
  }

  @Test("The first line of an event has its colour, and a server's text has none")
  func colours() async {
    let texts = await Self.texts { recorder in ConsoleSink(isColoured: true) { recorder.add($0) } }
    let colours = texts.map { $0.hasPrefix("\u{1B}[") ? String($0.dropFirst(2).prefix(2)) : "" }
    #expect(colours == ["36", "", "33", "36", "32", "32", "36", "31", "31"])
    #expect(texts[4].hasPrefix("\u{1B}[32m[1.2] < 200 OK, 7 bytes, 0.000 s\u{1B}[0m\n[1.2] < Content-Type"))
    #expect(texts[4].hasSuffix("\n[1.2] < b\\u{1B}[2J\n[1.2] < c"))
    let plain = await Self.texts { recorder in ConsoleSink(isColoured: false) { recorder.add($0) } }
    #expect(!plain.joined().unicodeScalars.contains("\u{1B}"))
  }

  @Test("A custom format gets the parts of an event")
  func format() async {
    struct Words: LogSink {
      let recorder: Recorder
      func write(_ event: LoggedEvent) {
        let status = event.report?.attributes()["http.response.status_code"].map { " \($0)" } ?? ""
        recorder.add("\(event.kind) \(event.severity) \(event.dispatch).\(event.attempt ?? 0)\(status)")
      }
    }
    #expect(
      await Self.texts(Words.init) == [
        "sent info 1.1", "received info 1.1 503", "failed warning 1.1 503", "sent info 1.2",
        "received info 1.2 200", "ended info 1.0", "sent info 2.1", "failed error 2.1", "ended error 2.0",
      ])
    let texts = await Self.texts { recorder in
      ConsoleSink(isColoured: false, format: { "\($0.lines.count) lines" }) { recorder.add($0) }
    }
    #expect(texts.last == "1 lines")
  }
}
