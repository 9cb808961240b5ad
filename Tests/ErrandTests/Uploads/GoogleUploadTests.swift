import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Uploads by Google's protocol")
struct GoogleUploadTests {
  /// As in the tests of Google's clients.
  final class Server: Sendable {
    struct State {
      var granularity: Int?
      var data = Data()
      var isFinal = false
      var isGone = false
      /// The numbers of bytes that the next broken chunks keep.
      var breaks: [Int] = []
      /// For every chunk except the last.
      var active = MockAnswer.status(200).header("X-Goog-Upload-Status", "active")
      var tellsRange = false
    }

    let state: Locked<State>

    init(granularity: Int? = nil, breaks: [Int] = []) {
      state = Locked(State(granularity: granularity, breaks: breaks))
    }

    @Sendable func answer(_ request: ReceivedRequest) -> MockAnswer {
      state.withLock { state in Self.answer(request, &state) }
    }

    private static func answer(_ request: ReceivedRequest, _ state: inout State) -> MockAnswer {
      let command = request.headers["X-Goog-Upload-Command"] ?? ""
      switch command {
      case "start":
        (state.data, state.isFinal, state.isGone) = (Data(), false, false)
        let answer = MockAnswer.status(200).header("X-Goog-Upload-Status", "active")
          .header("X-Goog-Upload-URL", "https://mocked.example/files?upload_id=1")
        return state.granularity.map { answer.header("X-Goog-Upload-Chunk-Granularity", "\($0)") } ?? answer
      case _ where state.isGone: return .status(404)
      case "query":
        return .status(200).header("X-Goog-Upload-Status", state.isFinal ? "final" : "active")
          .header("X-Goog-Upload-Size-Received", "\(state.data.count)")
      case "cancel":
        state.isGone = true
        return .status(200)
      default:
        guard request.headers["X-Goog-Upload-Offset"] == "\(state.data.count)" else { return .status(400) }
        let kept = state.breaks.isEmpty ? nil : state.breaks.removeFirst()
        state.data += request.body.prefix(kept ?? .max)
        if kept ?? .max >= request.body.count { state.isFinal = command.contains("finalize") }
        if kept != nil { return .status(503) }
        if state.isFinal { return .text("done").header("X-Goog-Upload-Status", "final") }
        guard state.tellsRange else { return state.active }
        return state.active.header("Range", "bytes=0-\(state.data.count - 1)")
      }
    }
  }

  private let content = UploadBench.content(199_000)
  private let start = "POST /files start"

  @Test("The upload starts with the metadata, the type and the length")
  func begin() async throws {
    let server = Server()
    let bench = UploadBench(answer: server.answer)
    let receipt = try await bench.upload(
      .data(content, contentType: "video/mp4"),
      to: .post("files", body: .text("about it", contentType: "text/plain")),
      by: .google())
    #expect(receipt.response?.body == Data("done".utf8) && receipt.size == 199_000)
    let first = bench.transport.requests[0]
    #expect(first.text == "about it" && first.headers["Content-Type"] == "text/plain")
    #expect(first.headers["X-Goog-Upload-Protocol"] == "resumable")
    #expect(first.headers["X-Goog-Upload-Content-Type"] == "video/mp4")
    #expect(first.headers["X-Goog-Upload-Content-Length"] == "199000")
    #expect(bench.transport.requests[1].url?.absoluteString == "https://mocked.example/files?upload_id=1")
    #expect(bench.transport.requests[1].headers["X-GUploader-No-308"] == "yes")
    #expect(bench.log == [start + " 8 bytes", "PUT /files upload, finalize at 0 199000 bytes"])
  }

  @Test(
    "Chunks have the requested length as a multiple of the granularity, and a small remainder joins the last chunk",
    arguments: [
      (199_000, 75_000, nil, [(0, 75_000), (75_000, 75_000), (150_000, 49_000)]),
      (199_000, 75_000, 66_666, [(0, 66_666), (66_666, 66_666), (133_332, 65_668)]),
      (152_499, 75_000, nil, [(0, 75_000), (75_000, 77_499)]),
      (152_500, 75_000, nil, [(0, 75_000), (75_000, 75_000), (150_000, 2_500)]),
      (150_000, 75_000, nil, [(0, 75_000), (75_000, 75_000)]),
      (20_000, 100, 10_000, [(0, 10_000), (10_000, 10_000)]),
    ])
  func chunks(length: Int, size: Int, granularity: Int?, expected: [(Int, Int)]) async throws {
    for isKnown in [true, false] {
      let server = Server(granularity: granularity)
      let bench = UploadBench(answer: server.answer)
      let content = UploadBench.content(length)
      let body: RequestBody =
        isKnown ? .data(content) : .stream { UploadBench.pieces(content) }
      _ = try await bench.upload(body, by: .google(chunkSize: size))
      #expect(server.state.withLock(\.data) == content)
      let chunks = expected.enumerated().map { index, chunk in
        let command = index == expected.count - 1 ? "upload, finalize" : "upload"
        return "PUT /files \(command) at \(chunk.0) \(chunk.1) bytes"
      }
      #expect(bench.log == [start] + chunks)
    }
  }

  @Test("An empty body is finalized")
  func empty() async throws {
    let server = Server()
    let bench = UploadBench(answer: server.answer)
    #expect(try await bench.upload(.data(Data()), by: .google()).size == 0)
    #expect(bench.log == [start, "PUT /files finalize at 0"])
    #expect(server.state.withLock { $0.isFinal })
  }

  @Test("After a failure the offset is requested, and the upload continues there")
  func recovery() async throws {
    let server = Server(breaks: [0, 10_000, 75_000])
    let bench = UploadBench(answer: server.answer)
    _ = try await bench.upload(.data(content), by: .google(chunkSize: 75_000))
    #expect(server.state.withLock(\.data) == content)
    #expect(
      bench.log == [
        start, "PUT /files upload at 0 75000 bytes", "POST /files query",
        "PUT /files upload at 0 75000 bytes", "POST /files query",
        "PUT /files upload at 10000 75000 bytes", "POST /files query",
        "PUT /files upload at 85000 75000 bytes", "PUT /files upload, finalize at 160000 39000 bytes",
      ])
  }

  @Test("A complete upload with a lost response is detected by a request")
  func unacknowledged() async throws {
    let server = Server(breaks: [500_000])
    let bench = UploadBench(answer: server.answer)
    let receipt = try await bench.upload(.data(content), by: .google())
    #expect(receipt.size == 199_000 && receipt.response == nil)
    #expect(bench.log == [start, "PUT /files upload, finalize at 0 199000 bytes", "POST /files query"])
  }

  @Test(
    "308, or 200 in its place, means that the server waits for more, and the range gives the offset",
    arguments: [MockAnswer.status(308), .status(200).header("X-HTTP-Status-Code-Override", "308")],
    [false, true])
  func waiting(answer: MockAnswer, tellsRange: Bool) async throws {
    let server = Server()
    server.state.withLock { ($0.active, $0.tellsRange) = (answer, tellsRange) }
    let bench = UploadBench(answer: server.answer)
    #expect(try await bench.upload(.data(content), by: .google(chunkSize: 100_000)).size == 199_000)
    // Without a range the server may have kept no bytes, so the client asks the server.
    let asked = tellsRange ? [] : ["POST /files query"]
    #expect(
      bench.log == [start, "PUT /files upload at 0 100000 bytes"] + asked + [
        "PUT /files upload, finalize at 100000 99000 bytes"
      ])
  }

  @Test(
    "An unreadable range or size acknowledges nothing, and the offset is requested",
    arguments: [
      ("Range", "-"), ("Range", "bytes=0-9223372036854775807"), ("Range", "bytes=0-"), ("Range", "bytes=5-9"),
      ("Range", "bytes=0-1x"), ("Range", "99999"), ("X-Goog-Upload-Size-Received", "-1"),
      ("X-Goog-Upload-Size-Received", ""),
    ], [200, 308])
  func unreadable(_ field: (name: String, value: String), status: Int) async throws {
    let server = Server()
    let waiting = MockAnswer.status(HTTPResponse.Status(status)).header("X-Goog-Upload-Status", "active")
      .header(field.name, field.value)
    server.state.withLock { $0.active = waiting }
    let bench = UploadBench(answer: server.answer)
    #expect(try await bench.upload(.data(content), by: .google(chunkSize: 100_000)).size == 199_000)
    #expect(server.state.withLock(\.data) == content)
    #expect(
      bench.log == [
        start, "PUT /files upload at 0 100000 bytes", "POST /files query",
        "PUT /files upload, finalize at 100000 99000 bytes",
      ])
  }

  @Test("The waits are 1, 2, 4 … 600 seconds, and after the last failure the error is thrown")
  func ladder() async throws {
    let server = Server()
    let bench = UploadBench { request in
      request.headers["X-Goog-Upload-Command"] == "start" ? server.answer(request) : .status(503)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .google(), maxFailures: 12)
    }
    #expect(error.status == 503)
    #expect(
      bench.log == [start, "PUT /files upload, finalize at 0 199000 bytes"]
        + (0..<12).map { _ in "POST /files query" })
    #expect(bench.clock.now.offset == .seconds(1_023 + 600 + 600))
  }

  @Test("An upload is cancelled by its command")
  func cancel() async throws {
    let server = Server()
    let bench = UploadBench { request in
      request.number == 3 ? .status(400) : server.answer(request)
    }
    await #expect(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .google(chunkSize: 100_000))
    }
    try await bench.agent.cancelUpload(try #require(bench.state), to: .post("files"), by: .google())
    #expect(bench.log.last == "POST /files cancel" && server.state.withLock { $0.isGone })
  }

  @Test("An upload cancelled by the server is an error")
  func cancelledByServer() async throws {
    let server = Server()
    server.state.withLock { $0.active = .status(200).header("X-Goog-Upload-Status", "cancelled") }
    let bench = UploadBench(answer: server.answer)
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .google(chunkSize: 100_000))
    }
    #expect(
      error.reason == "the server cancelled the upload (X-Goog-Upload-Status: cancelled)")
  }
}
