import ErrandJSON
import Foundation
import Testing

@testable import Errand

@Suite("A multipart body")
struct MultipartBodyTests {
  static func bytes(_ body: RequestBody) async throws -> Data {
    switch try body.prepared(by: { JSONCoding() }).content {
    case .none: return Data()
    case .data(let data): return data
    case .stream(let stream, _):
      var bytes = Data()
      for try await chunk in stream { bytes.append(chunk) }
      return bytes
    }
  }

  static func text(_ body: RequestBody) async throws -> String {
    String(decoding: try await bytes(body), as: UTF8.self)
  }

  private func refusal(_ body: RequestBody) -> String? {
    do {
      _ = try body.prepared { JSONCoding() }
      return nil
    } catch { return (error as? Refusal).map { $0.kind == .encoding ? $0.message : "\($0.kind)" } }
  }

  // MARK: Documents, byte for byte

  static let written: [([BodyPart], String)] = [
    ([], "\r\n--END_OF_PART--\r\n"),
    (
      [BodyPart(headers: ["hello": "world", "Foo": "bar"], body: .data(Data("text of part 1".utf8)))],
      "\r\n--END_OF_PART\r\nFoo: bar\r\nhello: world\r\n\r\ntext of part 1\r\n--END_OF_PART--\r\n"
    ),
    (
      [
        BodyPart(headers: ["b": "2", "A": "1", "a": "3"], body: .text("one", contentType: "text/plain")),
        BodyPart(body: .none), BodyPart(body: .data(Data("two".utf8))),
      ],
      "\r\n--END_OF_PART\r\nA: 1\r\na: 3\r\nb: 2\r\nContent-Type: text/plain\r\n\r\none"
        + "\r\n--END_OF_PART\r\n\r\n\r\n--END_OF_PART\r\n\r\ntwo\r\n--END_OF_PART--\r\n"
    ),
  ]

  @Test("Bodies with no part, one part and several parts have the expected bytes", arguments: written.indices)
  func documents(_ index: Int) async throws {
    let (parts, text) = Self.written[index]
    let body = RequestBody.multipart(parts, type: .related, boundary: "END_OF_PART")
    #expect(body.contentType == "multipart/related; boundary=END_OF_PART")
    #expect(body.length == Int64(text.utf8.count) && body.isReplayable)
    #expect(try await Self.text(body) == text)
    #expect(
      try MultipartParser.parts(of: Data(text.utf8), contentType: body.contentType).map(\.data)
        == parts.map(\.data))
  }

  @Test("Streamed parts make the same body with the same length")
  func streams() async throws {
    let streamed = Self.written[2].0.map { part in
      let data = part.data
      let stream = RequestBody.stream(length: Int64(data.count), contentType: part.body.contentType) {
        AsyncStream<Data> { stream in
          for byte in data { stream.yield(Data([byte])) }
          stream.finish()
        }
      }
      return BodyPart(headers: part.headers, body: stream)
    }
    let body = RequestBody.multipart(streamed, type: .related, boundary: "END_OF_PART")
    for _ in 1...2 { #expect(try await Self.text(body) == Self.written[2].1) }
    #expect(body.length == Int64(Self.written[2].1.utf8.count) && body.isReplayable)
    #expect("\(body)" == "multipart/related of 3 parts, 126 bytes")
  }

  @Test("A form is written as in browsers, with names and types of files")
  func form() async throws {
    let folder = TemporaryDirectory()
    let photo = try folder.file("me.jpg", "JPEG")
    let body = RequestBody.multipart(
      ["photo": .file(photo), "title": "Ünï", "raw": .file(data: Data([0x2D]), name: "x")], boundary: "B")
    let text =
      "--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nÜnï\r\n"
      + "--B\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"me.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nJPEG\r\n"
      + "--B\r\nContent-Disposition: form-data; name=\"raw\"; filename=\"x\"\r\nContent-Type: application/octet-stream\r\n\r\n-\r\n"
      + "--B--\r\n"
    #expect(try await Self.text(body) == text)
    #expect(body.contentType == "multipart/form-data; boundary=B" && body.length == Int64(text.utf8.count))
    #expect(try await Self.text(.multipart([:], boundary: "B")) == "--B--\r\n")
  }

  @Test("Only quotes and line breaks in names are escaped, as in browsers")
  func escaping() async throws {
    let part = BodyPart(name: "a\"b\r\nc\\d", filename: "\u{301}\"%22\n.é", body: .none)
    #expect(
      part.headers["Content-Disposition"]
        == "form-data; name=\"a%22b%0D%0Ac\\d\"; filename=\"\u{301}%22%22%0A.é\"")
    #expect(part.filename == "\u{301}%22%22%0A.é")
    #expect(BodyPart(name: "C:\\x", filename: "d:\\y", body: .none).filename == "d:\\y")
  }

  @Test("File names in all common notations are decoded")
  func names() {
    func part(_ text: String) -> BodyPart { BodyPart(headers: ["content-disposition": text], body: .none) }
    let names = [
      #"form-data; name=a; filename="b \" c""#, "attachment; filename*=UTF-8''na%C3%AFve%20%2e",
      "attachment; filename=old; filename*=iso-8859-1'en'%A3", "attachment; filename=old; filename*=x'y",
      "attachment; FileName=A", "attachment", "\"",
    ].map { part($0).filename }
    #expect(names == [#"b " c"#, "naïve .", "£", "old", "A", nil, nil])
    #expect(part("form-data; name=\"a b\"").name == "a b" && part("inline").name == nil)
    #expect("\(part("form-data; name=a"))" == #"part "a", none"# && "\(BodyPart(body: .none))" == "part none")
  }

  // MARK: Boundaries

  @Test("A boundary is random, and occurs in no part in memory")
  func randomBoundary() async throws {
    let bodies = (0..<2).map { _ in RequestBody.multipart(["a": "b"]) }
    let types = try bodies.map { try #require($0.contentType) }
    #expect(types[0] != types[1])
    #expect(types[0].wholeMatch(of: /multipart\/form-data; boundary=errand-[0-9a-f]{32}/) != nil)
    // The check of the boundary includes JSON that is not yet encoded.
    #expect(try bodies[0].prepared { JSONCoding() }.contentType == types[0])
    var body = MultipartBody(.mixed, parts: [BodyPart(body: .json(["errand-0"]))], boundary: nil)
    body.boundary = "errand-0"
    let remade = try body.prepared { JSONCoding() }
    #expect(
      remade.contentType != body.contentType
        && remade.contentType?.hasPrefix("multipart/mixed; boundary=errand-") == true)
  }

  @Test("A custom boundary that is invalid or occurs in a part is refused")
  func ownBoundary() {
    let parts = [
      BodyPart(body: .none), BodyPart(headers: ["x": "ab B c"], body: .none),
      BodyPart(body: .data(Data("--Y".utf8))),
    ]
    #expect(refusal(.multipart(parts, boundary: "B")) == "the boundary B occurs in part 2")
    #expect(refusal(.multipart(parts, boundary: "-Y")) == "the boundary -Y occurs in part 3")
    #expect(refusal(.multipart(parts, boundary: "--Y-")) == nil)
    for boundary in ["", "a b", "a\r\nb", "ü", String(repeating: "x", count: 71)] {
      #expect(
        refusal(.multipart(parts, boundary: boundary))?.contains("is not a valid boundary: a boundary has")
          == true)
    }
    #expect(
      RequestBody.multipart(parts, boundary: "a:b").contentType == "multipart/form-data; boundary=\"a:b\"")
  }

  // MARK: Bodies that cannot be sent

  @Test("Fields with line breaks, invalid types, and numbers without a text are refused")
  func refused() {
    #expect(
      refusal(.multipart([BodyPart(headers: ["a": "b\r\nc: d"], body: .none)]))
        == "part 1: the value of the header a contains a line break or a NUL")
    #expect(
      refusal(.multipart([BodyPart(body: .none), BodyPart(headers: ["a b": ""], body: .none)]))
        == #"part 2: the header name "a…" is not a token"#)
    for type: MIMEType in [.json, "multipart/mixed; boundary=x", "multipart/mixed\r\nX: y", ""] {
      #expect(
        refusal(.multipart([], type: type))?.hasSuffix("is not a multipart type, or already has a boundary")
          == true)
    }
    #expect(refusal(.multipart(["a": Double.nan])) == #"the parameter "a" is infinite or not a number"#)
    let missing = Parameters.File.file(URL(fileURLWithPath: "/none/x"))
    #expect(refusal(.multipart(["a": .list(missing)])) == "the file /none/x does not exist")
  }

  @Test("An unprepared body fails when read")
  func unprepared() async throws {
    guard case .stream(let stream, nil) = RequestBody.multipart(["a": Double.nan]).content else {
      Issue.record("no stream")
      return
    }
    await #expect(throws: TransportError(.encoding, #"the parameter "a" is infinite or not a number"#)) {
      for try await _ in stream {}
    }
  }

  @Test("JSON in a part is encoded with the request's coding")
  func json() async throws {
    struct Point: Encodable { var xPosition = 1 }
    let body = RequestBody.multipart([BodyPart(body: .json(Point()))], type: .mixed, boundary: "B")
    #expect(body.length == nil)
    let prepared = try body.prepared { .snakeCase }
    let text = "\r\n--B\r\nContent-Type: application/json\r\n\r\n{\"x_position\":1}\r\n--B--\r\n"
    #expect(prepared.length == Int64(text.utf8.count))
    #expect(try await Self.text(prepared) == text)
  }

  @Test("A nested multipart body has its own boundary")
  func nested() async throws {
    let inner = RequestBody.multipart([BodyPart(body: .text("x"))], type: .mixed)
    let outer = RequestBody.multipart([
      BodyPart(name: "files", body: inner), BodyPart(name: "a", body: .none),
    ])
    let parts = try MultipartParser.parts(of: try await Self.bytes(outer), contentType: outer.contentType)
    let found = try MultipartParser.parts(of: parts[0].data, contentType: parts[0].headers["Content-Type"])
    #expect(parts.count == 2 && found.map(\.text) == ["x"])
    let conflict = RequestBody.multipart([BodyPart(body: .multipart([], boundary: "abc"))], boundary: "ab")
    #expect(refusal(conflict) == "the boundary ab occurs in part 1")
  }

  @Test("The type of a part is checked like its headers, including nested bodies")
  func nestedAndTypes() {
    let evil = BodyPart(body: .data(Data("a".utf8), contentType: "text/plain\r\nX-Evil: 1"))
    #expect(
      refusal(.multipart([evil], type: .related))
        == "part 1: the value of the header Content-Type contains a line break or a NUL")
    let inner = RequestBody.multipart([BodyPart(body: .data(Data("--outer".utf8)))], boundary: "inner")
    #expect(
      refusal(.multipart([BodyPart(body: inner)], boundary: "outer"))
        == "the boundary outer occurs in part 1")
    #expect(
      refusal(.multipart([], type: MIMEType(rawValue: "multipart/mixed; x=\"")))
        == #"the type "multipart/mixed; x=\"" is not a multipart type, or already has a boundary"#)
    #expect(
      RequestBody.multipart([BodyPart(body: .stream(AsyncStream<Data> { $0.finish() }, length: .max))]).length
        == .max)
  }

  // MARK: Streams

  static let promises: [(Int64, String)] = [
    (4, "the stream of part 2 ended after 3 of the 4 bytes it promised"),
    (2, "the stream of part 2 gave more than the 2 bytes it promised"),
  ]

  @Test(
    "A streamed part with a wrong length is an error, even if another part compensates",
    arguments: promises.indices)
  func brokenPromise(_ index: Int) async throws {
    let (length, message) = Self.promises[index]
    func stream(_ length: Int64) -> RequestBody {
      .stream(length: length) {
        AsyncStream<Data> { stream in
          stream.yield(Data("abc".utf8))
          stream.finish()
        }
      }
    }
    let body = RequestBody.multipart(
      [BodyPart(body: .none), BodyPart(body: stream(length)), BodyPart(body: stream(6 - length))])
    await #expect(throws: TransportError(.encoding, message)) { try await Self.bytes(body) }
  }

  @Test(
    "Large parts in memory are sent in pieces, small parts together, and a huge part is not searched for long"
  )
  func sizes() async throws {
    let large = Data(repeating: 0x65, count: 3_000_000)
    let body = RequestBody.multipart(
      [BodyPart(body: .data(large)), BodyPart(body: .text("x"))], boundary: "B")
    guard case .stream(let stream, let length) = body.content else {
      Issue.record("no stream")
      return
    }
    var sizes: [Int] = []
    for try await chunk in stream { sizes.append(chunk.count) }
    #expect(sizes.count == 3 && sizes[1] == 3_000_000 && Int64(sizes.reduce(0, +)) == length)
    guard case .data = RequestBody.multipart(["a": "b"]).content else {
      Issue.record("no data")
      return
    }
  }

  @Test("A cancellation reaches every stream of the parts")
  func cancellation() {
    final class Source: BodySource {
      let isCancelled = Locked(false)
      func next() async throws -> Data? { nil }
      func cancel() { isCancelled.withLock { $0 = true } }
    }
    let sources = [Source(), Source()]
    let body = MultipartBody(
      .mixed, parts: sources.map { BodyPart(body: RequestBody(storage: .provided(Streaming(source: $0)))) },
      boundary: nil)
    guard case .stream(let stream, _) = body.content else {
      Issue.record("no stream")
      return
    }
    stream.cancel()
    #expect(sources.allSatisfy { $0.isCancelled.withLock { $0 } })
  }

  private struct Streaming: BodyProvider {
    let source: any BodySource
    var content: RequestBody.Content { .stream(BodyStream(source), length: nil) }
    var length: Int64? { nil }
    var isReplayable: Bool { false }
    var contentType: String? { nil }
    var summary: String { "a stream" }
  }
}
