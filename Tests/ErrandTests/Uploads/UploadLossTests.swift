import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Uploads: what is no acknowledgement, and who gets what")
struct UploadLossTests {
  private let content = UploadBench.content(250_000)
  private let directory = TemporaryDirectory()

  private static let protocols = [UploadProtocol.tus(), .google(), .ietfDraft()]

  /// Begins an upload by any protocol, and answers all else by what follows.
  private static func beginning(_ request: ReceivedRequest, else answer: MockAnswer) -> MockAnswer {
    guard request.number == 1 else { return answer }
    return .status(201).header("Location", "/files/1").header("X-Goog-Upload-URL", "/files/1")
  }

  /// The state of an upload whose second chunk failed for good.
  private func interrupted(_ tus: MockTus, _ body: RequestBody) async throws -> UploadProtocol.State {
    let bench = UploadBench { request in
      request.number == 3 ? .status(400) : tus.answer(to: request)
    }
    await #expect(throws: RequestError.self) { try await bench.upload(body, by: .tus(chunkSize: 100_000)) }
    return try #require(bench.state)
  }

  @Test("A page to sign in, behind a redirect, has not taken the chunk", arguments: protocols)
  func signIn(_ uploadProtocol: UploadProtocol) async throws {
    let bench = UploadBench { request in
      if request.path == "/login" { return .text("sign in") }
      return Self.beginning(request, else: .status(303).header("Location", "/login"))
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: uploadProtocol)
    }
    #expect(error.kind == .redirect)
    #expect(
      error.reason == "a redirect changed the upload's request to GET, so the server did not receive the data"
    )
  }

  @Test(
    "A page that some other server answers with has not taken the chunk", arguments: protocols,
    [nil, "-5", "99999999999999999999"])
  func portal(_ uploadProtocol: UploadProtocol, offset: String?) async throws {
    let bench = UploadBench { request in
      let page = MockAnswer.text("welcome")
      return Self.beginning(request, else: offset.map { page.header("Upload-Offset", $0) } ?? page)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: uploadProtocol)
    }
    #expect(error.kind == .invalidResponse && bench.log.count == 3)
    #expect(
      error.reason.hasPrefix("the server does not report the offset of the upload: the response has no "))
  }

  @Test("An answer that says nothing is asked about, and a server that has nothing is given up")
  func silent() async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      request.method == .patch ? .status(204) : tus.answer(to: request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus(), maxFailures: 1)
    }
    #expect(error.reason == "the server took none of the 250000 bytes from byte 0 on")
    let patch = "PATCH /files/1 at 0 250000 bytes"
    #expect(bench.log == ["POST /files", patch, "HEAD /files/1", "HEAD /files/1", patch, "HEAD /files/1"])
  }

  @Test("Bytes that were not sent yet cannot be acknowledged", arguments: [true, false])
  func ahead(isKnown: Bool) async throws {
    let (tus, content) = (MockTus(), content)
    let bench = UploadBench { request in
      request.method == .patch
        ? .status(204).header("Upload-Offset", "250000") : tus.answer(to: request)
    }
    let body = isKnown ? RequestBody.data(content) : .stream { UploadBench.pieces(content) }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(body, by: .tus(chunkSize: 1_000))
    }
    #expect(error.kind == .invalidResponse && bench.log.count == 2)
    #expect(
      error.reason == "the server has 250000\(isKnown ? " of 250000" : "") bytes, but only 1000 were sent")
  }

  @Test("A server that calls a stream complete before its end is an error")
  func early() async throws {
    let (tus, content) = (MockTus(), content)
    let bench = UploadBench { request in
      guard request.number == 3 else { return request.number == 2 ? .fault(.reset) : tus.answer(to: request) }
      return .status(200).header("Upload-Offset", "700").header("Upload-Length", "700")
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.stream { UploadBench.pieces(content) }, by: .tus(chunkSize: 1_000))
    }
    #expect(
      error.reason == "the server reports the upload as complete after 700 bytes, but the body is longer")
  }

  @Test("403 is no upload that was forgotten")
  func forbidden() async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      request.method == .patch ? .status(403) : tus.answer(to: request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus())
    }
    #expect(error.status == 403 && bench.log.count == 2)
  }

  @Test(
    "A form that is made anew has another boundary, and goes on with no other one; one with a boundary of yours does",
    arguments: [nil, "mine"])
  func boundaries(_ boundary: String?) async throws {
    let file = try directory.file("a.bin", content)
    let tus = MockTus()
    let state = try await interrupted(tus, .multipart(["file": .file(file)], boundary: boundary))
    let bench = UploadBench(answer: tus.answer)
    let again = RequestBody.multipart(["file": .file(file)], boundary: boundary)
    if boundary == nil {
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(again, by: .tus(), resuming: state)
      }
      #expect(error.kind == .encoding && bench.log.isEmpty)
    } else {
      _ = try await bench.upload(again, by: .tus(), resuming: state)
      #expect(tus.uploads[0].isComplete)
    }
  }

  #if os(Linux)
  @Test("A file of the system that tells no length is not uploaded as an empty one")
  func proc() async throws {
    let bench = UploadBench(answer: MockTus().answer)
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.file(URL(fileURLWithPath: "/proc/self/status")), by: .tus())
    }
    #expect(error.kind == .encoding && bench.log.isEmpty)
    #expect(
      error.reason == "the file /proc/self/status returned more or fewer bytes than its length of 0 bytes")
  }
  #endif

  @Test("Errors and reports of its steps do not tell the server's URL of the upload")
  func printed() async throws {
    let bench = UploadBench { request in
      guard request.number > 1 else {
        return .status(201).header("Location", "/files/capability-1?upload_id=capability-2")
      }
      return .status(400)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus())
    }
    #expect(
      "\(error)".hasPrefix(
        "PATCH https://mocked.example/files/<redacted>?upload_id=<redacted> failed: status 400"))
    #expect(!"\(error.report.map { "\($0)" } ?? "")".contains("capability"))
  }

  @Test(
    "The answer that begins an upload is printed without the server's URL of it, however the log is written")
  func beginningPrinted() async throws {
    func printed(_ uploadProtocol: UploadProtocol, _ headers: HTTPHeaders) async throws -> String {
      let lines = Recorder()
      let bench = UploadBench(accessories: [ConsoleLogger(level: .body) { lines.add($0) }]) { request in
        request.number > 1
          ? .status(400) : headers.fields.reduce(.status(201)) { $0.header($1.name, $1.value) }
      }
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(.data(content), by: uploadProtocol)
      }
      return lines.events.joined() + "\(error)"
    }
    let url = "/files/capability-1?upload_id=capability-2"
    let tus = try await printed(.tus(), ["Location": url])
    #expect(tus.contains("Location: <redacted>") && !tus.contains("capability"))
    let google = try await printed(
      .google(), ["X-Goog-Upload-URL": url, "X-GUploader-UploadID": "capability-2"])
    #expect(google.contains("X-GUploader-UploadID: <redacted>") && !google.contains("capability"))
    // One that is refused for what it says.
    let refused = try await printed(
      .google(), ["X-Goog-Upload-URL": url, "X-Goog-Upload-Chunk-Granularity": "99999999999"])
    #expect(refused.contains("more than the maximum") && !refused.contains("capability"))
  }

  @Test("A stream of one long piece is not copied for each chunk")
  func longPiece() async throws {
    let (tus, content) = (MockTus(), UploadBench.content(1_000_000))
    let bench = UploadBench(answer: tus.answer)
    let piece = AsyncStream<Data> { continuation in
      continuation.yield(content)
      continuation.finish()
    }
    _ = try await bench.upload(.stream(piece), by: .tus(chunkSize: 999))
    #expect(tus.uploads.map(\.data) == [content])
  }

  @Test(
    "A state of another server gets nothing that is not for it",
    arguments: ["https://other.example/files/1", "https://mocked.example/files/1"])
  func otherServer(url: String) async throws {
    let tus = MockTus()
    let stored = try JSONEncoder().encode(try await interrupted(tus, .data(content)))
    let changed = String(decoding: stored, as: UTF8.self)
      .replacingOccurrences(of: #"https:\/\/mocked.example\/files\/1"#, with: url)
    let state = try JSONDecoder().decode(UploadProtocol.State.self, from: Data(changed.utf8))
    #expect(state.url.absoluteString == url)
    let bench = UploadBench({ $0.headers = ["X-Api-Key": "secret"] }, answer: tus.answer)
    let request = OneOffRequest<Void>.post(
      "files", headers: ["Authorization": "Bearer secret", "Cookie": "a=secret"])
    _ = try await bench.upload(.data(content), to: request, by: .tus(), resuming: state)
    try await bench.agent.cancelUpload(state, to: request, by: .tus())
    #expect(bench.transport.requests.map(\.method) == [.head, .patch, .delete])
    let isHome = url.contains("mocked")
    for sent in bench.transport.requests {
      #expect(sent.headers["Authorization"] == (isHome ? "Bearer secret" : nil))
      #expect(sent.headers["Cookie"] == (isHome ? "a=secret" : nil))
      #expect(sent.headers["X-Api-Key"] == (isHome ? "secret" : nil))
    }
  }
}
