import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Uploads by tus")
struct TusUploadTests {
  private let content = UploadBench.content(250_000)
  private let directory = TemporaryDirectory()

  /// With and without a known length.
  enum Kind: CaseIterable {
    case data, file, replayed, once, unknown
  }

  private func body(_ kind: Kind) throws -> RequestBody {
    let content = content
    return switch kind {
    case .data: .data(content)
    case .file: .file(try directory.file("a.bin", content))
    case .replayed: .stream(length: 250_000) { UploadBench.pieces(content) }
    case .once: .stream(UploadBench.pieces(content), length: 250_000)
    case .unknown: .stream(UploadBench.pieces(content))
    }
  }

  @Test("The upload is created, and filled chunk by chunk, from every kind of body", arguments: Kind.allCases)
  func kinds(_ kind: Kind) async throws {
    let tus = MockTus()
    let bench = UploadBench(answer: tus.answer)
    let receipt = try await bench.upload(
      try body(kind), by: .tus(chunkSize: 100_000, metadata: ["filename": "ä.bin", "empty": ""]))
    #expect("\(receipt)" == "250000 bytes uploaded, 204 No Content")
    #expect(receipt.url.absoluteString == "https://mocked.example/files/1")
    #expect(
      bench.log == [
        "POST /files", "PATCH /files/1 at 0 100000 bytes", "PATCH /files/1 at 100000 100000 bytes",
        "PATCH /files/1 at 200000 50000 bytes",
      ])
    #expect(tus.uploads.map(\.data) == [content] && tus.uploads[0].isComplete)
    #expect(tus.uploads.map(\.metadata) == [["filename": "ä.bin", "empty": ""]])
    let isUnknown = kind == .unknown
    let length = isUnknown ? "" : " of 250000"
    #expect(
      bench.states.events == [
        "tus upload, 0\(length) bytes", "tus upload, 100000\(length) bytes",
        "tus upload, 200000\(length) bytes",
        "tus upload, 250000 of 250000 bytes",
      ])
    let requests = bench.transport.requests
    #expect(requests[0].headers["Upload-Length"] == (isUnknown ? nil : "250000"))
    #expect(requests[0].headers["Upload-Defer-Length"] == (isUnknown ? "1" : nil))
    #expect(requests[0].headers["Upload-Metadata"] == "empty,filename w6QuYmlu")
    #expect(requests.map { $0.headers["Upload-Length"] }[1...] == [nil, nil, isUnknown ? "250000" : nil])
    #expect(requests[1].headers["Content-Type"] == "application/offset+octet-stream")
    #expect(requests.allSatisfy { $0.headers["Tus-Resumable"] == "1.0.0" })
    #expect(bench.clock.sleeps.isEmpty || bench.clock.now.offset == .zero)
  }

  @Test("Parameters of the agent are sent in the query of the first request, and not as its body")
  func agentParameters() async throws {
    for uploadProtocol in [UploadProtocol.tus(chunkSize: 200_000), .ietfDraft(chunkSize: 200_000)] {
      let bench = UploadBench {
        $0.parameters = ["client": "field"]
      } answer: { request in
        .status(request.method == .options ? 204 : 500)
      }
      _ = try? await bench.upload(.data(content), by: uploadProtocol, maxFailures: 0)
      let first = try #require(bench.transport.requests.first { $0.method == .post })
      #expect(first.body.isEmpty && first.url?.query == "client=field", "\(first)")
    }
  }

  @Test("A chunk interrupted anywhere continues at the server's offset", arguments: Kind.allCases)
  func breaks(_ kind: Kind) async throws {
    let tus = MockTus()
    tus.breakOff(after: 0, 1, 99_999, 60_000, 500_000)
    let bench = UploadBench(answer: tus.answer)
    let receipt = try await bench.upload(try body(kind), by: .tus(chunkSize: 100_000))
    #expect(receipt.size == 250_000)
    #expect(tus.uploads.map(\.data) == [content])
    #expect(
      bench.log == [
        "POST /files",
        "PATCH /files/1 at 0 100000 bytes", "HEAD /files/1",
        "PATCH /files/1 at 0 100000 bytes", "HEAD /files/1",
        "PATCH /files/1 at 1 100000 bytes", "HEAD /files/1",
        "PATCH /files/1 at 100000 100000 bytes", "HEAD /files/1",
        "PATCH /files/1 at 160000 90000 bytes", "HEAD /files/1",
      ])
    // The last response was lost. Afterwards the server reports that the upload is complete.
    #expect(receipt.response == nil)
    // The wait is one second after progress. Chunks of 0 and 1 byte make no progress, so waits of two and
    // four seconds follow.
    #expect(bench.clock.now.offset == .seconds(1 + 2 + 4 + 1 + 1))
  }

  @Test("An upload forgotten by the server is restarted", arguments: [404, 410])
  func forgotten(status: Int) async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      if request.number == 3 {
        tus.forgetUploads()
        return .fault(.reset)
      }
      if request.number == 4 { return .status(HTTPResponse.Status(status)) }
      return tus.answer(to: request)
    }
    let receipt = try await bench.upload(.data(content), by: .tus(chunkSize: 200_000))
    #expect(receipt.url.absoluteString == "https://mocked.example/files/2")
    #expect(tus.uploads.map(\.data) == [content])
    #expect(
      bench.log == [
        "POST /files", "PATCH /files/1 at 0 200000 bytes", "PATCH /files/1 at 200000 50000 bytes",
        "HEAD /files/1", "POST /files", "PATCH /files/2 at 0 200000 bytes",
        "PATCH /files/2 at 200000 50000 bytes",
      ])
  }

  @Test("A one-shot body is not restarted")
  func forgottenOnce() async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      request.number == 3 ? .status(404) : tus.answer(to: request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(try body(.once), by: .tus(chunkSize: 100_000))
    }
    #expect(error.kind == .encoding)
    #expect(
      error.reason
        == "the server has only 0 of 100000 bytes that it had before, but the body can be produced only once")
  }

  @Test("An empty body only sends the creation")
  func empty() async throws {
    let tus = MockTus()
    let bench = UploadBench(answer: tus.answer)
    let receipt = try await bench.upload(.data(Data()), by: .tus())
    #expect(receipt.size == 0 && tus.uploads[0].isComplete)
    #expect(bench.log == ["POST /files"])
    let deferred = try await bench.upload(.stream(UploadBench.pieces(Data())), by: .tus())
    #expect(deferred.size == 0 && tus.uploads[1].isComplete)
    #expect(bench.log[1...] == ["POST /files", "PATCH /files/2 at 0"])
  }

  @Test(
    "Chunks have the strongest checksum that the server supports, and a chunk with a wrong checksum is rejected",
    arguments: [
      (["md5", "sha1", "sha512", "sha256"], "sha256"), (["sha512"], "sha512"), (["sha1"], "sha1"),
      (["md5"], nil),
      ([], nil),
    ])
  func checksums(known: [String], used: String?) async throws {
    let tus = MockTus(checksums: known)
    let isDamaged = Locked(used != nil)
    let bench = UploadBench { request in
      if request.method == .patch, isDamaged.withLock({ $0 }) {
        isDamaged.withLock { $0 = false }
        return .status(460)
      }
      return tus.answer(to: request)
    }
    _ = try await bench.upload(try body(.file), by: .tus(chunkSize: 200_000, checksums: true))
    #expect(tus.uploads.map(\.data) == [content])
    let patches = bench.transport.requests.filter { $0.method == .patch }
    #expect(bench.log[0] == "OPTIONS /files")
    #expect(patches.count == (used == nil ? 2 : 3))
    for patch in patches {
      #expect(
        patch.headers["Upload-Checksum"]
          == used.flatMap { UploadChecksum(rawValue: $0) }.map { $0.text(of: patch.body) })
    }
  }

  @Test("Secret metadata is hidden in the printed protocol, header field and mock upload")
  func secretMetadata() async throws {
    let tus = MockTus()
    tus.breakOff(after: -1)
    let bench = UploadBench(answer: tus.answer)
    let metadata = ["password": "s3cret-canary", "filename": "a.txt"]
    let kind = UploadProtocol.tus(metadata: metadata)
    _ = try await bench.upload(.data(content), by: kind)
    let upload = try #require(tus.uploads.first)
    #expect(upload.metadata == metadata && upload.data == content)
    #expect("\(upload)" == "/files/1: 250000 of 250000 bytes; filename a.txt, password <redacted>")
    let value = "filename YS50eHQ=,password \(Data("s3cret-canary".utf8).base64EncodedString()),flag"
    let shown = Redaction.standard.headers(["upload-metadata": value])["Upload-Metadata"]
    #expect(shown == "filename YS50eHQ=,password <redacted>,flag")
    var printed = "\(kind) \(String(reflecting: kind)) \(String(reflecting: upload))"
    dump(kind, to: &printed)
    dump(tus.uploads, to: &printed)
    #expect(!printed.contains("s3cret"))
  }

  @Test(
    "An unsendable metadata name is refused before sending",
    arguments: ["", "a b", "a,b", "ä"])
  func metadata(name: String) async throws {
    let bench = UploadBench(answer: MockTus().answer)
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus(metadata: [name: "a"]))
    }
    #expect(error.kind == .invalidRequest && bench.log.isEmpty)
    #expect(
      error.reason
        == "the metadata name \(name.debugDescription) is invalid: tus allows ASCII without spaces and commas"
    )
  }

  @Test(
    "A server with a missing or invalid offset is an error",
    arguments: [nil, "-1", "x", "999999"])
  func nonsense(offset: String?) async throws {
    let tus = MockTus()
    tus.breakOff(after: 0)
    let bench = UploadBench { request in
      guard request.method == .head else { return tus.answer(to: request) }
      return offset.map { MockAnswer.status(200).header("Upload-Offset", $0) } ?? .status(200)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus())
    }
    #expect(error.kind == .invalidResponse && bench.log.count == 3)
    #expect(
      error.reason
        == (offset == "999999"
          ? "the server has 999999 of 250000 bytes, but only 250000 were sent"
          : "the server does not report the offset of the upload: the response has no Upload-Offset"))
  }

  @Test("An upload is cancelled at the server, and an upload forgotten by the server is no error")
  func cancel() async throws {
    let tus = MockTus()
    let bench = UploadBench { request in
      request.number == 3 ? .status(400) : tus.answer(to: request)
    }
    await #expect(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus(chunkSize: 100_000))
    }
    let state = try #require(bench.state)
    try await bench.agent.cancelUpload(state, to: .post("files"), by: .tus())
    #expect(tus.uploads.isEmpty)
    try await bench.agent.cancelUpload(state, to: .post("files"), by: .tus())
    #expect(bench.log[3...] == ["DELETE /files/1", "DELETE /files/1"])
  }

  /// A request to a tus server, and the status of the response.
  static let refusals: [(HTTPMethod, HTTPHeaders, Int)] = [
    (.post, ["Upload-Length": "5"], 201), (.post, ["Upload-Length": "x"], 400),
    (.post, ["Upload-Length": "+5"], 400), (.post, ["Upload-Length": "-5"], 400),
    (.post, ["Upload-Length": "x", "Upload-Defer-Length": "1"], 400),
    (.post, ["Upload-Length": "99999999999999999999"], 400),
    (.patch, ["Upload-Length": "x"], 400), (.patch, ["Upload-Length": ""], 400),
    (.patch, ["Upload-Checksum": "md5 x"], 400), (.patch, ["Upload-Checksum": ""], 400),
    (.patch, ["Upload-Checksum": "sha512 x"], 400), (.patch, ["Upload-Checksum": "sha256 x"], 460),
    (.patch, ["Upload-Checksum": "sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="], 204),
  ]

  @Test("The mock refuses an invalid Upload-Length and an unsupported checksum", arguments: refusals)
  func refused(_ row: (HTTPMethod, HTTPHeaders, Int)) async throws {
    let tus = MockTus(checksums: ["sha256"])
    let agent = RequestAgent.mocked(by: MockTransport(answer: tus.answer))
    func send(_ method: HTTPMethod, _ path: String, _ headers: HTTPHeaders, _ text: String) async throws
      -> Int
    {
      var headers = headers
      headers["Tus-Resumable"] = "1.0.0"
      if method == .patch {
        (headers["Content-Type"], headers["Upload-Offset"]) = ("application/offset+octet-stream", "0")
      }
      let body = RequestBody.data(Data(text.utf8), contentType: "application/offset+octet-stream")
      let request = OneOffRequest(path, method: method, headers: headers, body: body, response: .response)
      return try await agent.send(request.with(\.validators, [])).status.code
    }
    if row.0 == .patch { _ = try await send(.post, "files", ["Upload-Defer-Length": "1"], "") }
    #expect(
      try await send(row.0, row.0 == .post ? "files" : "files/1", row.1, row.0 == .post ? "" : "abc") == row.2
    )
    if row.2 >= 400 { #expect(tus.uploads.allSatisfy { $0.data.isEmpty }) }
  }
}
