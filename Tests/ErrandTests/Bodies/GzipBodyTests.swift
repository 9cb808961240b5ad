#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Compressed bodies", .timeLimit(.minutes(5)))
struct GzipBodyTests {
  private let directory = TemporaryDirectory()
  private static let text = Data(String(repeating: "all work and no play; ", count: 200_000).utf8)

  private static func decoded(_ data: Data) throws -> Data {
    let decoder = try #require(DecoderLibraries.system.decoder(for: .gzip))
    decoder.add(data)
    var result = Data()
    while let piece = try decoder.next() { result.append(piece) }
    try decoder.finish()
    return result
  }

  @Test(
    "Bodies of every kind arrive unchanged, and only bodies in memory have a length",
    arguments: [true, false])
  func kinds(onSockets: Bool) async throws {
    let server = try MockServer()
    server.route(.post, "/a", answers: .status(204))
    defer { server.stop() }
    let mock = MockTransport { _ in .status(204) }
    let agent = RequestAgent(baseURL: server.baseURL, transport: onSockets ? nil : mock)
    let file = try directory.file("a.txt", Self.text)
    let bodies: [(RequestBody, type: String?, isWhole: Bool, Data)] = [
      (.text("hello"), "text/plain; charset=utf-8", true, Data("hello".utf8)),
      (.data(Data()), nil, true, Data()), (.json(["a": 1]), "application/json", true, Data(#"{"a":1}"#.utf8)),
      (.data(Self.text), nil, false, Self.text), (.file(file), "text/plain", false, Self.text),
      (.stream(UploadBench.pieces(Self.text)), nil, false, Self.text),
    ]
    for (body, type, isWhole, expected) in bodies {
      try await agent.send(.post("a", body: body.gzipped()))
      let request = try #require(onSockets ? server.requests.last : mock.requests.last)
      #expect(request.headers["Content-Encoding"] == "gzip")
      #expect(request.headers["Content-Type"] == type)
      if onSockets {
        #expect(request.headers["Content-Length"] == (isWhole ? "\(request.body.count)" : nil))
      }
      #expect(try Self.decoded(request.body) == expected)
      #expect(expected.count < 1_000 || request.body.count < expected.count / 50)
    }
  }

  @Test(
    "A stream with a wrong length fails over mocks and sockets, compressed or not",
    arguments: [true, false], [true, false])
  func wrongLength(onSockets: Bool, isCompressed: Bool) async throws {
    let server = try MockServer()
    server.route(.post, "/a", answers: .status(204))
    defer { server.stop() }
    let mock = MockTransport { _ in .status(204) }
    let agent = RequestAgent(baseURL: server.baseURL, transport: onSockets ? nil : mock)
    for (count, reason) in [
      (3, "the body stream ended after 3 of the 1000 bytes it promised"),
      (2_000, "the body stream gave more than the 1000 bytes it promised"),
    ] {
      let stream = RequestBody.stream(length: 1_000) { UploadBench.pieces(Data(count: count)) }
      let body = isCompressed ? stream.gzipped() : stream
      let error = try await #require(throws: RequestError.self) {
        try await agent.send(.post("a", body: body))
      }
      #expect(error.kind == .encoding && error.reason == reason)
    }
  }

  @Test("Parameters are compressed by their serializer, queries are not, and no body stays no body")
  func parameters() async throws {
    let mock = MockTransport { _ in .status(204) }
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: mock)
    try await agent.send(.post("a", parameters: ["a": 1], serializer: .json.gzipped()))
    #expect(try Self.decoded(mock.requests[0].body) == Data(#"{"a":1}"#.utf8))
    #expect(mock.requests[0].headers["Content-Type"] == "application/json")
    let file = try directory.file("a.txt", Self.text)
    try await agent.send(.post("a", parameters: ["a": .file(file)], serializer: .form.gzipped()))
    let form = try Self.decoded(mock.requests[1].body)
    #expect(
      try MultipartParser.parts(of: form, contentType: mock.requests[1].headers["Content-Type"])[0].body.data
        == Self.text)
    try await agent.send(
      OneOffRequest<Void>("a", parameters: ["a": 1], serializer: .form.gzipped(), response: .none))
    try await agent.send(.post("a", body: RequestBody.none.gzipped()))
    #expect(mock.requests[2].target == "/a?a=1")
    #expect(mock.requests[2...].allSatisfy { $0.body.isEmpty && !$0.headers.contains("Content-Encoding") })
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.post("a", parameters: ["a": 1], body: RequestBody.automatic.gzipped()))
    }
    #expect(error.kind == .encoding)
    #expect(
      error.reason
        == "parameters cannot be compressed in the body property: use a requestSerializer with .gzipped()")
  }

  @Test("A retry, a 307 and a 308 send the whole body again", arguments: [503, 307, 308])
  func again(status: Int) async throws {
    let server = try MockServer()
    defer { server.stop() }
    server.route(
      .put, "/a", answers: .status(HTTPResponse.Status(status)).header("Location", "/b"), .status(204))
    server.route(.put, "/b", answers: .status(204))
    let file = try directory.file("a.txt", Self.text)
    let agent = RequestAgent(baseURL: server.baseURL)
    let request = OneOffRequest<Void>.put("a", body: .file(file).gzipped())
    try await agent.send(
      request.with(\.retryPolicy, .upTo(1, backoff: .constant(.zero))))
    #expect(server.requests.count == 2)
    for request in server.requests {
      #expect(request.headers["Content-Encoding"] == "gzip")
      #expect(try Self.decoded(request.body) == Self.text)
    }
  }

  @Test("A 303 drops the body's coding")
  func seeOther() async throws {
    let mock = MockTransport { request in
      request.number == 1 ? .status(303).header("Location", "/b") : .status(204)
    }
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: mock)
    try await agent.send(.post("a", body: .text("a").gzipped()))
    #expect(mock.requests.map { $0.headers["Content-Encoding"] } == ["gzip", nil])
  }

  @Test("A hook that replaces the body drops the coding")
  func hook() async throws {
    struct Plain: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) { request.body = .text("b") }
    }
    let mock = MockTransport { _ in .status(204) }
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: mock, hooks: [Plain()])
    try await agent.send(.post("a", body: .text("a").gzipped()))
    #expect(mock.requests[0].text == "b" && !mock.requests[0].headers.contains("Content-Encoding"))
  }

  @Test("Another coding in the headers is refused")
  func conflict() async throws {
    let agent = RequestAgent(
      baseURL: "https://mocked.example", transport: MockTransport { _ in .status(204) })
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.post("a", headers: ["Content-Encoding": "br"], body: .text("a").gzipped()))
    }
    #expect(error.kind == .invalidRequest)
    #expect(
      error.reason
        == "the header Content-Encoding, br, is not the coding of the body, gzip: remove the header, because the body sets the right value"
    )
  }

  enum Shape: CaseIterable { case gzip, twice, trailers, form }

  private static func stream(of body: RequestBody, _ shape: Shape) throws -> BodyStream {
    let (coded, coding) = (body.gzipped(), JSONCoding())
    let sent =
      switch shape {
      case .gzip, .trailers: coded
      case .twice: coded.gzipped()
      case .form: RequestBody.multipart([BodyPart(body: coded)], boundary: "b")
      }
    var request = HTTPRequest(
      url: URL(fileURLWithPath: "/"), method: .post, body: try sent.prepared { coding })
    if shape == .trailers {
      request.trailers = ["X-A": "1"]
      return try #require(TransportRequest.TrailedBody(request)).stream
    }
    guard case .stream(let stream, _) = request.body.content else {
      throw Refusal("the body is no stream", kind: .encoding)
    }
    return stream
  }

  @Test("Reading the source counts as progress, even without compressed output", arguments: Shape.allCases)
  func progress(_ shape: Shape) async throws {
    let (chunks, giving) = AsyncStream.makeStream(of: Data.self)
    let stream = try Self.stream(of: .stream(chunks), shape)
    let pump = UploadPump(stream, length: nil, isReadable: {}, didFail: { _ in })
    var given = 0
    func drain() -> Int {
      withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
        var count = 0
        while case .bytes(let read) = pump.read(into: buffer) { count += read }
        return count
      }
    }
    for _ in 0..<100 {
      let before = pump.readCount
      giving.yield(Data(repeating: 0x61, count: 100))
      await until {
        given += drain()
        return pump.readCount > before
      }
    }
    #expect(given < 1_000)
    pump.stop()
    giving.finish()
  }

  @Test("The description is the body's, without its secrets")
  func printed() {
    let body = RequestBody.multipart(["password": "s3cret"]).gzipped()
    #expect("\(RequestBody.text("hello").gzipped())" == "gzip of 5 bytes")
    #expect(!"\(body)".contains("s3cret"))
  }
}
#endif
