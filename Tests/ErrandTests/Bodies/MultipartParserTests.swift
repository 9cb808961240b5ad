import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Parsing of multipart bodies")
struct MultipartParserTests {
  /// One line a part: the header fields, then the bytes.
  private static func lines(_ events: [MultipartParser.Event]) -> [String] {
    var lines: [String] = []
    for event in events {
      switch event {
      case .part(let headers):
        lines.append(headers.fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + " | ")
      case .bytes(let data): lines[lines.count - 1] += String(decoding: data, as: UTF8.self)
      }
    }
    return lines
  }

  private static func read(
    _ document: String, by size: Int, boundary: String = "B", partLimit: Int = 10_000, headLimit: Int = 65_536
  ) -> [String] {
    do {
      var parser = try MultipartParser(boundary: boundary, partLimit: partLimit, headLimit: headLimit)
      var events: [MultipartParser.Event] = []
      let bytes = Data(document.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        events += try parser.read(bytes[start..<min(start + size, bytes.count)])
      }
      return lines(events + (try parser.finish()))
    } catch {
      return error.kind == .decoding ? [error.message] : ["\(error.kind)"]
    }
  }

  static let whole: [(String, String, [String])] = [
    ("no part", "\r\n--B--\r\n", []),
    ("no part and no line break", "--B--", []),
    ("one part", "--B\r\nA: 1\r\nb: x:y\r\n\r\ntext\r\n--B--", ["A: 1, b: x:y | text"]),
    ("parts without heads", "--B\r\n\r\none\r\n--B\r\n\r\ntwo\r\n--B--\r\n", [" | one", " | two"]),
    ("empty bodies", "--B\r\nA: 1\r\n\r\n\r\n--B\r\n\r\n\r\n--B--\r\n", ["A: 1 | ", " | "]),
    (
      "heads without bodies", "--B\r\nA: 1\r\n\r\n--B\r\nC: 2\r\n--B\r\n--B--\r\n",
      ["A: 1 | ", "C: 2 | ", " | "]
    ),
    (
      "Base64",
      "--B\r\ncontent-transfer-encoding: BASE64\r\nA: 1\r\n\r\naGVs\r\nbG8=\r\n--B\r\n\r\nraw=\r\n--B--",
      ["A: 1 | hello", " | raw="]
    ),
    (
      "Base64 without padding, with strange characters, and in two pieces",
      "--B\r\nContent-Transfer-Encoding: base64\r\n\r\naG*V s\tbG8\r\n"
        + "--B\r\nContent-Transfer-Encoding: base64\r\n\r\naGk=aG==\r\n"
        + "--B\r\nContent-Transfer-Encoding: base64\r\n\r\n\r\n--B--",
      [" | hello", " | hih", " | "]
    ),
    (
      "Base64 that ends within a byte", "--B\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsb\r\n--B--",
      ["the Base64 of part 1 ends within a byte"]
    ),
    (
      "Base64 that ends within a byte before padding",
      "--B\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsb===\r\n--B\r\n\r\n\r\n--B--",
      ["the Base64 of part 1 ends within a byte"]
    ),
    (
      "quoted-printable",
      "--B\r\nContent-Transfer-Encoding: Quoted-Printable\r\n\r\ncaf=C3=A9 =\r\n  au=20\t \r\nlait=3d= \r\n=zz=4 \r\n--B--",
      [" | café   au \r\nlait==zz=4"]
    ),
    (
      "quoted-printable in lines beyond all bounds",
      "--B\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\(String(repeating: "=41", count: 3_000))=\r\n--B--",
      [" | \(String(repeating: "A", count: 3_000))"]
    ),
    (
      "other transfer encodings", "--B\r\nContent-Transfer-Encoding: 8bit\r\n\r\n=41\r\n--B--",
      ["Content-Transfer-Encoding: 8bit | =41"]
    ),
    (
      "preamble and epilogue",
      "for old readers\r\nx--B\r\n--BB\r\n--B \t\r\n\r\nx\r\n--B-- \r\nmore\r\n--B\r\n\r\ny",
      [" | x"]
    ),
    (
      "boundaries inside of lines",
      "--B\r\n\r\na --B\r\nx--B--\r\n--Bx\r\n--B-\r\n--B--x\r\n-B\r\n \r\n--B\n\n--B\r\n--B \r\n\r\n\r\r\n--B--",
      [" | a --B\r\nx--B--\r\n--Bx\r\n--B-\r\n--B--x\r\n-B\r\n \r\n--B\n\n--B", " | \r"]
    ),
    ("folded fields", "--B\r\nA: 1\r\n 2\r\n\t3\r\nB: \r\n\r\nx\r\n--B--", ["A: 1 2 3, B:  | x"]),
    ("blanks around values", "--B\r\nA:\t 1 \t\r\nB:2\r\n\r\n\r\n--B--", ["A: 1, B: 2 | "]),
    ("line breaks in bodies", "--B\r\n\r\n\r\n\r\n\r\r\n\n\r\n--B--", [" | \r\n\r\n\r\r\n\n"]),
    ("an end without a line feed", "--B\r\n\r\nx\r\n--B--\r", [" | x"]),
  ]

  @Test("Bodies are parsed in pieces of any size", arguments: whole.indices)
  func documents(_ index: Int) {
    let (_, document, lines) = Self.whole[index]
    for size in [1, 2, 3, 5, 7, 1_000] { #expect(Self.read(document, by: size) == lines) }
  }

  static let cut: [(String, String)] = [
    ("", "the multipart body contains no boundary"),
    ("--A\r\n\r\nx\r\n--A--", "the multipart body contains no boundary"),
    ("--B", "the multipart body contains no boundary"),
    ("--B-", "the multipart body contains no boundary"),
    ("--B\n\nx\n--B--\n", "the multipart body contains no boundary"),
    ("--B\r\n", "the multipart body ends without its last boundary, in part 1"),
    ("--B\r\nA: 1\r\n", "the multipart body ends without its last boundary, in part 1"),
    ("--B\r\n\r\nx\r\n--B\r\n\r\ny", "the multipart body ends without its last boundary, in part 2"),
    ("--B\r\n\r\nx\r\n--B", "the multipart body ends without its last boundary, in part 1"),
    ("--B\r\nplain text\r\n\r\nx\r\n--B--", "the head of part 1 cannot be read: a line has no colon"),
    ("--B\r\n folded: 1\r\n\r\nx", #"the head of part 1 cannot be read: the header name "…" is not a token"#),
    ("--B\r\nA : 1\r\n\r\nx", #"the head of part 1 cannot be read: the header name "A…" is not a token"#),
    ("--B\r\n: 1\r\n\r\nx", #"the head of part 1 cannot be read: the header name "" is not a token"#),
    (
      "--B\r\n\r\nx\r\n--B\r\nA: 1\nB: 2\r\n\r\nx",
      "the head of part 2 cannot be read: the value of the header A contains a line break or a NUL"
    ),
    (
      "--B\r\nA: 1\r\n \r2\r\n\r\nx",
      "the head of part 1 cannot be read: the value of the header A contains a line break or a NUL"
    ),
  ]

  @Test("An incomplete body is refused with a reason, in pieces of any size", arguments: cut.indices)
  func broken(_ index: Int) {
    for size in [1, 2, 3, 1_000] { #expect(Self.read(Self.cut[index].0, by: size) == [Self.cut[index].1]) }
  }

  @Test("Parts and heads have limits, with and without line ends")
  func limits() {
    let three = String(repeating: "--B\r\n\r\n\r\n", count: 3) + "--B--"
    for size in [1, 1_000] {
      #expect(Self.read(three, by: size, partLimit: 3) == [" | ", " | ", " | "])
      #expect(Self.read(three, by: size, partLimit: 2) == ["the multipart body has more than 2 parts"])
      #expect(Self.read(three, by: size, partLimit: 0) == ["the multipart body has more than 0 parts"])
      let head = "--B\r\nA: 345\r\nB: 3\r\n\r\nx\r\n--B--"
      #expect(Self.read(head, by: size, headLimit: 14) == ["A: 345, B: 3 | x"])
      #expect(Self.read(head, by: size, headLimit: 13) == ["the head of part 1 is longer than 13 bytes"])
      let endless = "--B\r\nA: " + String(repeating: "x", count: 100)
      #expect(Self.read(endless, by: size, headLimit: 50) == ["the head of part 1 is longer than 50 bytes"])
    }
  }

  @Test("The parser's buffer between pieces is small, for any input")
  func memory() throws {
    var parser = try MultipartParser(boundary: "B")
    _ = try parser.read(Data("--B\r\n\r\n".utf8))
    let blanks = Data(repeating: 0x20, count: 10_000)
    var count = 0
    for piece in [
      Data("\r\n--B".utf8), blanks, Data(repeating: 0x0D, count: 10_000), Data("\r\n--B-".utf8), blanks,
    ] {
      for case .bytes(let data) in try parser.read(piece) { count += data.count }
      #expect(parser.kept <= 5 + 128)
    }
    #expect(count >= 30_000 - 133)
  }

  static let others: [(String?, String)] = [
    (nil, "the Content-Type is missing, but a multipart type is required"),
    ("text/html", #"the Content-Type is "text/html", but a multipart type is required"#),
    ("multipart/mixed", "the Content-Type multipart/mixed has no boundary"),
    ("multipart/mixed; boundary=\"\"", #""" is not a valid boundary"#),
    ("multipart/mixed; boundary=\(String(repeating: "x", count: 257))", "is not a valid boundary"),
  ]

  @Test("A Content-Type other than multipart is refused", arguments: others.indices)
  func types(_ index: Int) {
    let error = #expect(throws: Refusal.self) { try MultipartParser(contentType: Self.others[index].0) }
    #expect(error?.kind == .decoding && error?.message.hasSuffix(Self.others[index].1) == true)
  }

  @Test("A multipart response decodes as [BodyPart], and any other response is a decoding error")
  func responses() async throws {
    struct Ranges: Request {
      typealias Response = [BodyPart]
      let path = "file"
      let headers: HTTPHeaders = ["Range": "bytes=0-1,5-5"]
    }
    let parts = [
      BodyPart(headers: ["Content-Range": "bytes 0-1/9"], body: .text("ab")),
      BodyPart(headers: ["Content-Range": "bytes 5-5/9"], body: .text("c")),
    ]
    let transport = MockTransport([
      Stub(
        .get, "/file", answers: .multipart(parts, type: .byteranges, status: 206), .text("ab"),
        .data(Data(), contentType: "multipart/mixed; boundary=B"))
    ])
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    let found = try await agent.send(Ranges())
    #expect(found.map(\.text) == ["ab", "c"])
    #expect(found.map { $0.headers["content-range"] } == ["bytes 0-1/9", "bytes 5-5/9"])
    #expect(found.map(\.body.contentType) == ["text/plain; charset=utf-8", "text/plain; charset=utf-8"])
    for reason in [
      #"the Content-Type is "text/plain; charset=utf-8", but a multipart type is required"#,
      "the multipart body contains no boundary",
    ] {
      let error = try await #require(throws: RequestError.self) { try await agent.send(Ranges()) }
      #expect(error.kind == .decoding && error.reason == reason)
    }
  }

  // MARK: Long documents

  /// A document of parts of 1.5 MiB, of which each begins in the midst of a step.
  private func longDocument() -> (document: Data, parts: [Data]) {
    let parts = (0..<3).map { Data(repeating: UInt8($0), count: 3 << 19) }
    let heads = parts.map { Data("--x\r\nA: 1\r\n\r\n".utf8) + $0 + Data("\r\n".utf8) }
    return (heads.reduce(Data(), +) + Data("--x--\r\n".utf8), parts)
  }

  @Test("A long body is parsed in steps of a MiB, and its parts are complete")
  func longParts() async throws {
    let (document, parts) = longDocument()
    var steps = 0
    let read = try await MultipartParser.parts(of: document, contentType: "multipart/mixed; boundary=x") {
      steps += 1
    }
    #expect(read.map(\.data) == parts && steps == 4)
    let atOnce = try MultipartParser.parts(of: document, contentType: "multipart/mixed; boundary=x")
    #expect(atOnce.map(\.data) == parts)
  }

  @Test("Parsing a long body stops after the step of the cancellation")
  func cancelledInTheMidst() async throws {
    let (document, _) = longDocument()
    var steps = 0
    await #expect(throws: CancellationError.self) {
      _ = try await MultipartParser.parts(of: document, contentType: "multipart/mixed; boundary=x") {
        steps += 1
        if steps == 3 { throw CancellationError() }
      }
    }
    #expect(steps == 3)
  }

  @Test("The serializer notices the cancellation of its dispatch and of its task", arguments: [false, true])
  func cancelled(byTask: Bool) async throws {
    let (document, parts) = longDocument()
    let response = HTTPResponse(
      headers: ["Content-Type": "multipart/mixed; boundary=x"], body: document)
    let signal = CancellationSignal()
    let context = RequestContext(
      dispatched: .init(id: 1, request: Probe(), tools: .init(), cancellation: signal), attempt: 1)
    let serializer = StandardSerializer<[BodyPart]>.multipart
    #expect(try await serializer.serialize(response, context: context).map(\.data) == parts)
    let task = Task {
      if byTask { withUnsafeCurrentTask { $0?.cancel() } } else { signal.cancel() }
      return try await serializer.serialize(response, context: context)
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }
}
