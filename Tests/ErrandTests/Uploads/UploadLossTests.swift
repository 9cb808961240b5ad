import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Uploads: invalid acknowledgements, and origins")
struct UploadLossTests {
  private let content = UploadBench.content(250_000)
  private let directory = TemporaryDirectory()

  private static let protocols = [UploadProtocol.tus(), .google(), .ietfDraft()]

  /// Later requests get `answer`.
  private static func beginning(_ request: ReceivedRequest, else answer: MockAnswer) -> MockAnswer {
    guard request.number == 1 else { return answer }
    return .status(201).header("Location", "/files/1").header("X-Goog-Upload-URL", "/files/1")
  }

  /// The second chunk failed finally.
  private func interrupted(_ tus: MockTus, _ body: RequestBody) async throws -> UploadProtocol.State {
    let bench = UploadBench { request in
      request.number == 3 ? .status(400) : tus.answer(to: request)
    }
    await #expect(throws: RequestError.self) { try await bench.upload(body, by: .tus(chunkSize: 100_000)) }
    return try #require(bench.state)
  }

  @Test("A sign-in page behind a redirect does not acknowledge a chunk", arguments: protocols)
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
    "A page of another server does not acknowledge a chunk", arguments: protocols,
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

  @Test(
    "After a response without a statement the offset is requested, and a server with no bytes is abandoned")
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

  @Test("Bytes that are not yet sent cannot be acknowledged", arguments: [true, false])
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

  @Test("A server that reports a stream's completion before its end is an error")
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

  @Test("A 403 is not a forgotten upload")
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
    "A newly created form has another boundary and resumes no upload, and a form with a fixed boundary resumes",
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
  @Test("A system file without a length is not uploaded as an empty file")
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

  @Test("Errors and reports of the steps do not show the server's URL of the upload")
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
    "The response that starts an upload is printed without the server's URL, in every log")
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
    // An upload that is refused because of the response.
    let refused = try await printed(
      .google(), ["X-Goog-Upload-URL": url, "X-Goog-Upload-Chunk-Granularity": "99999999999"])
    #expect(refused.contains("more than the maximum") && !refused.contains("capability"))
  }

  @Test("A stream of a long piece is not copied for each chunk")
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
    "A state of another server gets no foreign headers or credentials",
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

  @Test("An upload to an untrusted origin gets the request's headers, and no secrets of the agent")
  func untrustedServer() async throws {
    let tus = MockTus()
    let bench = UploadBench(
      { $0.headers = ["X-Api-Key": "secret", "Accept-Language": "de"] }, answer: tus.answer)
    let request = OneOffRequest<Void>.post(
      "https://foreign.example/files", headers: ["Authorization": "Bearer own"])
    _ = try await bench.upload(.data(content), to: request, by: .tus())
    #expect(bench.transport.requests.map(\.method) == [.post, .patch])
    for sent in bench.transport.requests {
      #expect(sent.url?.host == "foreign.example")
      #expect(sent.headers["X-Api-Key"] == nil)
      #expect(sent.headers["Accept-Language"] == "de")
      #expect(sent.headers["Authorization"] == "Bearer own")
    }
  }
}
