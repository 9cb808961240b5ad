import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Stubs of forms with files")
struct StubFileTests {
  static let body = RequestBody.multipart([
    "title": "Sunset", "photo": .file(data: Data("JPEG".utf8), name: "a.jpg"),
    "more": .list(.file(data: Data([1]), name: "b.png"), .file(data: Data([2]), name: "c.png")),
  ])

  private static let stub = Stub(.post, "/a", answers: .status(201))

  static let rows: [(Stub, String?)] = [
    (stub.file("photo"), nil),
    (
      stub.file("photo", filename: "a.jpg", type: .jpeg, data: Data("JPEG".utf8)).formBody(["title": "Sunset"]
      ), nil
    ),
    (stub.file("more[]", filename: "c.png", data: Data([2])), nil),
    (stub.file("title"), "body file title is missing"),
    (stub.file("photo", filename: "b.jpg"), "body file photo is named a.jpg, not b.jpg"),
    (stub.file("photo", type: .png), "body file photo is image/jpeg, not image/png"),
    (stub.file("photo", data: Data()), "body file photo has 4 bytes, not 0"),
    (stub.file("photo", data: Data("jpeg".utf8)), "body file photo differs from byte 0 on"),
    (stub.file("more[]", filename: "c.png", data: Data([1])), "body file more[] is named b.png, not c.png"),
    (stub.formBody(["title": "Moon"]), "body field title is Sunset, not Moon"),
    (stub.formBody(["photo": "JPEG"]), "body field photo is missing, not JPEG"),
  ]

  @Test("A stub matches files by field, name, type and bytes", arguments: rows.indices)
  func files(_ index: Int) async throws {
    let (stub, difference) = Self.rows[index]
    let transport = MockTransport([stub])
    let headers: HTTPHeaders = ["Content-Type": try #require(Self.body.contentType)]
    guard let difference else {
      try await transport.exchange(.post, "https://h/a", headers: headers, body: Self.body)
      return
    }
    let message = try await transport.refusal(of: .post, "https://h/a", headers: headers, body: Self.body)
    #expect(message.split(separator: "\n").last == "1. \(stub): \(difference)")
  }

  @Test("A file on disk is read for the mock, and a request has its parts")
  func disk() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt")
    try Data("hello".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let transport = MockTransport { request in
      .text(request.parts.map { "\($0.name ?? "")=\($0.text)" }.joined(separator: "&"))
    }
    let agent = RequestAgent(baseURL: "https://h", transport: transport)
    let answer = try await agent.send(
      .post("a", parameters: ["f": .file(file), "a": 1], as: String.self))
    #expect(answer == "a=1&f=hello")
    #expect(transport.requests.first?.parts.last?.filename == file.lastPathComponent)
  }

  @Test("A multipart answer with streamed or invalid parts is an invalid stub")
  func answers() async throws {
    let stream = RequestBody.stream { AsyncStream<Data> { $0.finish() } }
    for (answer, problem) in [
      (MockAnswer.multipart([BodyPart(body: stream)]), "a part is not in memory"),
      (.multipart([BodyPart(body: .text("x"))], boundary: "x"), "the boundary x occurs in part 1"),
    ] {
      let transport = MockTransport([Stub(nil, "/a", answers: answer)])
      await #expect(
        throws: TransportError(.invalidStub, "the multipart answer cannot be built: \(problem)")
      ) {
        try await transport.exchange(.get, "https://h/a")
      }
    }
  }
}
