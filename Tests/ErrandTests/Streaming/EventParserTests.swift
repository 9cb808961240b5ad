import Foundation
import Testing

@testable import Errand

@Suite("The parser of Server-Sent Events", .timeLimit(.minutes(60)))
struct EventParserTests {
  private static func parse(
    _ chunks: [Data], after id: String = "", limit: Int = .max
  ) throws -> (events: [ServerSentEvent], parser: EventParser) {
    var parser = EventParser(after: id, limit: limit)
    var events: [ServerSentEvent] = []
    for chunk in chunks {
      parser.feed(chunk)
      while let event = try parser.next() { events.append(event) }
    }
    return (events, parser)
  }

  private static func events(_ text: String) throws -> [ServerSentEvent] {
    try parse([Data(text.utf8)]).events
  }

  static let rows: [(text: String, events: [ServerSentEvent])] = [
    // The examples of section 9.2.6 of the standard.
    (
      "data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent("YHOO\n+2\n10")]
    ),
    (
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      [
        ServerSentEvent("first event", id: "1"), ServerSentEvent("second event"),
        ServerSentEvent(" third event"),
      ]
    ),
    ("data\n\ndata\ndata\n\ndata:", [ServerSentEvent(""), ServerSentEvent("\n")]),
    ("data:test\n\ndata: test\n\n", [ServerSentEvent("test"), ServerSentEvent("test")]),
    // Event types.
    (
      "event: add\ndata: 1\n\nevent: remove\ndata: 2\n\ndata: 3\n\n",
      [ServerSentEvent("1", event: "add"), ServerSentEvent("2", event: "remove"), ServerSentEvent("3")]
    ),
    ("event: add\n\ndata: 1\n\n", [ServerSentEvent("1")]),
    ("event: add\nevent:\ndata: 1\n\n", [ServerSentEvent("1")]),
    // Event ids.
    ("id: a\ndata: 1\n\ndata: 2\n\n", [ServerSentEvent("1", id: "a"), ServerSentEvent("2", id: "a")]),
    ("id: a\n\ndata: 1\n\n", [ServerSentEvent("1", id: "a")]),
    ("id: a\nid: b\u{0}c\ndata: 1\n\n", [ServerSentEvent("1", id: "a")]),
    // Reconnection times.
    (
      "retry: 1500\ndata: 1\n\ndata: 2\n\n",
      [ServerSentEvent("1", retry: .milliseconds(1500)), ServerSentEvent("2")]
    ),
    ("retry: 1.5\nretry: -1\nretry:\nretry: 1s\nretry:  1\nretry: ٣\ndata: 1\n\n", [ServerSentEvent("1")]),
    ("retry: 99999999999999999999999\ndata: 1\n\n", [ServerSentEvent("1", retry: .seconds(3600))]),
    ("retry: 0000000000000000000000250\ndata: 1\n\n", [ServerSentEvent("1", retry: .milliseconds(250))]),
    // Ends of lines and of the stream.
    ("data: 1\r\n\r\ndata: 2\r\rdata: 3\n\ndata: 4\r\n\n", ["1", "2", "3", "4"].map { ServerSentEvent($0) }),
    ("data: 1\n\ndata: 2\n", [ServerSentEvent("1")]),
    ("data: 1", []),
    ("\n\n\r\r\n", []),
    ("\u{FEFF}data: 1\n\n\u{FEFF}data: 2\n\n", [ServerSentEvent("1")]),
    // Unknown and malformed fields.
    ("Data: 0\n data: 0\ndata : 0\nfoo: 0\nfoo\n:data: 0\n: :\ndata: a:b\n\n", [ServerSentEvent("a:b")]),
    ("data: \u{1F600}\u{0}é\n\n", [ServerSentEvent("\u{1F600}\u{0}é")]),
  ]

  @Test("The parser follows the standard, in a single chunk and in chunks of one byte", arguments: rows)
  func standard(_ row: (text: String, events: [ServerSentEvent])) throws {
    #expect(try Self.events(row.text) == row.events)
    #expect(try Self.parse(row.text.utf8.map { Data([$0]) }).events == row.events)
  }

  @Test("An id counts with its blank line, also without an event, and a retry time counts at once")
  func leftovers() throws {
    let (events, parser) = try Self.parse([Data("id: 2\n\nretry: 7000\nid: 3\ndata: x".utf8)], after: "1")
    #expect(events == [] && parser.lastEventID == "2" && parser.reconnectionTime == .seconds(7))
    let later = try Self.parse([Data("data: x\n\nid\ndata: y\n\n".utf8)], after: "1")
    #expect(later.events == [ServerSentEvent("x", id: "1"), ServerSentEvent("y")])
    #expect(later.parser.lastEventID == "" && later.parser.reconnectionTime == nil)
  }

  @Test("Invalid UTF-8 becomes replacement characters")
  func replacement() throws {
    let chunk = Data("data: a".utf8) + [0xFF, 0xC3, 0x0A, 0x0A]
    #expect(try Self.parse([chunk]).events == [ServerSentEvent("a\u{FFFD}\u{FFFD}")])
  }

  static let tooLong = [
    ("data: 12345\n\n", "a line is longer than its limit, 10 bytes"),
    (": 123456789", "a line is longer than its limit, 10 bytes"),
    ("data:12345\ndata:12345\n", "an event is longer than its limit, 10 bytes"),
    (String(repeating: "data\n", count: 12), "an event is longer than its limit, 10 bytes"),
  ]

  @Test("Lines and events are limited, comments and the number of events are not", arguments: tooLong)
  func limits(_ text: String, _ message: String) throws {
    let refusal = #expect(throws: Refusal.self) { try Self.parse([Data(text.utf8)], limit: 10) }
    #expect(refusal == Refusal(message, kind: .limitExceeded))
    let fitting = ": 12345678\n: 12345678\ndata:12345\ndata:1234\n\ndata:12345\ndata:1234\n\n"
    let events = try Self.parse([Data(fitting.utf8)], limit: 10).events
    #expect(events == [ServerSentEvent("12345\n1234"), ServerSentEvent("12345\n1234")])
  }

  @Test("Events written by a mock are read unchanged")
  func written() throws {
    let events = [
      ServerSentEvent("a\nb\n\nc", event: "add", id: "7", retry: .milliseconds(20)),
      ServerSentEvent("", id: "7"),
      ServerSentEvent(" x", id: "7"),
    ]
    // A time beyond the range of `Int` is cut, not a trap.
    #expect(
      ServerSentEvent("a", retry: .seconds(Int64.max)).wireText
        == "retry: 9223372036854775807\ndata: a\n\n")
    #expect(try Self.events(events.map(\.wireText).joined()) == events)
    // Every kind of line end in the data starts a new `data` field, and is read as a line feed.
    #expect(
      try Self.events(ServerSentEvent("\u{FEFF}a\r\r\n\r\nb\r").wireText).map(\.data) == [
        "\u{FEFF}a\n\n\nb\n"
      ])
  }

  /// `ERRAND_SSE_INPUTS` overrides 3,000.
  static let inputCount = ProcessInfo.processInfo.environment["ERRAND_SSE_INPUTS"].flatMap(Int.init) ?? 3_000

  @Test("Random streams in random chunks are read like whole texts")
  func generated() throws {
    var generator = SeededGenerator(seed: 92)
    for _ in 0..<Self.inputCount {
      let bytes = Self.stream(by: &generator)
      let chunks = bytes.cut(upTo: 1 + generator.below(12), by: &generator)
      let found = try Self.parse(chunks)
      let expected = EventReference(bytes)
      if found.events == expected.events, found.parser.lastEventID == expected.lastEventID { continue }
      Issue.record("\(bytes) in \(chunks.map(\.count)): \(found.events), not \(expected.events)")
      return
    }
  }

  @Test("Random bytes cause no crash, and no more than the limit is kept")
  func garbage() throws {
    var generator = SeededGenerator(seed: 93)
    for _ in 0..<Self.inputCount {
      let bytes = generator.below(2) == 0 ? generator.bytes(upTo: 60) : Self.stream(by: &generator)
      let limit = generator.below(20)
      do {
        let events = try Self.parse(bytes.cut(upTo: 9, by: &generator), limit: limit).events
        // A byte that is invalid UTF-8 becomes three bytes.
        #expect(events.allSatisfy { $0.data.utf8.count <= 3 * limit })
      } catch let refusal as Refusal {
        #expect(refusal.kind == .limitExceeded)
      }
    }
  }

  private static func stream(by generator: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = generator.below(4) == 0 ? [0xEF, 0xBB, 0xBF] : []
    for _ in 0..<generator.below(12) {
      bytes += Array(
        generator.pick(["data", "data", "id", "event", "retry", "", "dat", "datum", " id"]).utf8)
      bytes += Array(generator.pick([":", ": ", ":  ", "", " :"]).utf8)
      switch generator.below(5) {
      case 0: bytes += Array(generator.text(upTo: 6).utf8)
      case 1: bytes += Array("\(generator.below(1_000_000))".utf8)
      case 2: bytes += generator.bytes(upTo: 4)
      default: bytes += Array("ab".utf8)
      }
      let end: [UInt8] = generator.pick([[0x0A], [0x0D], [0x0D, 0x0A]])
      bytes += end
      if generator.below(3) == 0 { bytes += end }
    }
    return bytes
  }
}

/// A literal implementation of the standard.
private struct EventReference {
  var events: [ServerSentEvent] = []
  var lastEventID = ""

  init(_ bytes: [UInt8]) {
    var text = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    if text.first == "\u{FEFF}" { text.removeFirst() }
    var lines: [[Unicode.Scalar]] = []
    var line: [Unicode.Scalar] = []
    for (index, scalar) in text.enumerated() {
      if scalar == "\n", index > 0, text[index - 1] == "\r" { continue }
      if scalar == "\n" || scalar == "\r" {
        lines.append(line)
        line = []
      } else {
        line.append(scalar)
      }
    }
    var (data, type, id, retry) = ("", "", "", Duration?.none)
    for line in lines {
      guard !line.isEmpty else {
        lastEventID = id
        if !data.isEmpty {
          data.unicodeScalars.removeLast()
          events.append(
            ServerSentEvent(
              data, event: type.isEmpty ? "message" : type, id: id.isEmpty ? nil : id, retry: retry))
        }
        (data, type, retry) = ("", "", nil)
        continue
      }
      let colon = line.firstIndex(of: ":") ?? line.count
      var value = String(String.UnicodeScalarView(line.dropFirst(colon + 1)))
      if value.unicodeScalars.first == " " { value.unicodeScalars.removeFirst() }
      switch String(String.UnicodeScalarView(line.prefix(colon))).utf8.map({ $0 }) {
      case Array("data".utf8):
        data.unicodeScalars.append(contentsOf: value.unicodeScalars)
        data.unicodeScalars.append("\n")
      case Array("event".utf8): type = value
      case Array("id".utf8) where !value.unicodeScalars.contains("\0"): id = value
      case Array("retry".utf8) where !value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) }:
        retry = .milliseconds(min(Int(value) ?? .max, 3_600_000))
      default: break
      }
    }
  }
}
