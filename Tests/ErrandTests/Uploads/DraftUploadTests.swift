import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Uploads by the draft of the IETF")
struct DraftUploadTests {
  final class Server: Sendable {
    struct State {
      var data = Data()
      var isComplete = false
      var limit: String?
      var breaks: [Int] = []
      var answer = MockAnswer.text("stored", status: 201).header("Upload-Complete", "?1")
    }

    let state: Locked<State>

    init(limit: String? = nil, breaks: [Int] = []) { state = Locked(State(limit: limit, breaks: breaks)) }

    @Sendable func answer(_ request: ReceivedRequest) -> MockAnswer {
      state.withLock { state in
        let answer = Self.answer(request, &state)
        return state.limit.map { answer.header("Upload-Limit", $0) } ?? answer
      }
    }

    private static func answer(_ request: ReceivedRequest, _ state: inout State) -> MockAnswer {
      switch request.method {
      case .post: return .status(201).header("Location", "/uploads/a").header("Upload-Complete", "?0")
      case .head: return tell(state, .status(204))
      case .patch:
        guard request.headers["Upload-Offset"] == "\(state.data.count)" else {
          return tell(state, .status(409))
        }
        let kept = state.breaks.isEmpty ? nil : state.breaks.removeFirst()
        state.data += request.body.prefix(kept ?? .max)
        state.isComplete = request.headers["Upload-Complete"] == "?1" && kept ?? .max >= request.body.count
        if kept != nil { return .fault(.reset) }
        return state.isComplete ? state.answer : tell(state, .status(204))
      default: return .status(204)
      }
    }

    private static func tell(_ state: State, _ answer: MockAnswer) -> MockAnswer {
      answer.header("Upload-Offset", "\(state.data.count)")
        .header("Upload-Complete", state.isComplete ? "?1" : "?0")
    }
  }

  private let content = UploadBench.content(250_000)

  @Test("The upload is created empty, and filled by PATCH", arguments: [true, false], [6, 8])
  func whole(isKnown: Bool, interop: Int) async throws {
    let server = Server()
    let bench = UploadBench(answer: server.answer)
    let content = content
    let receipt = try await bench.upload(
      isKnown ? .data(content, contentType: "video/mp4") : .stream(UploadBench.pieces(content)),
      by: .ietfDraft(interop: interop, chunkSize: 100_000))
    #expect(receipt.response?.body == Data("stored".utf8) && receipt.size == 250_000)
    #expect(server.state.withLock(\.data) == content)
    #expect(
      bench.log == [
        "POST /files ?0", "PATCH /uploads/a at 0 ?0 100000 bytes",
        "PATCH /uploads/a at 100000 ?0 100000 bytes",
        "PATCH /uploads/a at 200000 ?1 50000 bytes",
      ])
    let requests = bench.transport.requests
    #expect(requests[0].headers["Upload-Length"] == (isKnown ? "250000" : nil))
    #expect(requests[0].headers["Content-Type"] == (isKnown ? "video/mp4" : nil))
    #expect(requests[1].headers["Content-Type"] == "application/partial-upload")
    #expect(requests.allSatisfy { $0.headers["Upload-Draft-Interop-Version"] == "\(interop)" })
  }

  @Test("The upload resumes at the server's offset, also if complete with a lost response")
  func recovery() async throws {
    let server = Server(breaks: [50_000, 500_000])
    let bench = UploadBench(answer: server.answer)
    let receipt = try await bench.upload(.data(content), by: .ietfDraft())
    #expect(receipt.size == 250_000 && receipt.response == nil)
    #expect(server.state.withLock(\.data) == content)
    #expect(
      bench.log == [
        "POST /files ?0", "PATCH /uploads/a at 0 ?1 250000 bytes", "HEAD /uploads/a",
        "PATCH /uploads/a at 50000 ?1 200000 bytes", "HEAD /uploads/a",
      ])
  }

  @Test("No chunk is longer than the server's limit")
  func limit() async throws {
    let server = Server(limit: "max-size=1000000, max-append-size=90000")
    let bench = UploadBench(answer: server.answer)
    _ = try await bench.upload(.data(content), by: .ietfDraft())
    #expect(
      bench.log[1...] == [
        "PATCH /uploads/a at 0 ?0 90000 bytes", "PATCH /uploads/a at 90000 ?0 90000 bytes",
        "PATCH /uploads/a at 180000 ?1 70000 bytes",
      ])
  }

  @Test("An empty body is completed by an empty PATCH")
  func empty() async throws {
    let server = Server()
    let bench = UploadBench(answer: server.answer)
    #expect(try await bench.upload(.data(Data()), by: .ietfDraft()).size == 0)
    #expect(bench.log == ["POST /files ?0", "PATCH /uploads/a at 0 ?1"])
  }

  @Test("A server that reports completion with missing bytes is an error, and no loss is silent")
  func early() async throws {
    let server = Server()
    let bench = UploadBench { request in
      request.number == 2
        ? .status(200).header("Upload-Complete", "?1") : server.answer(request)
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .ietfDraft(chunkSize: 100_000))
    }
    #expect(error.kind == .invalidResponse)
    #expect(error.reason == "the server reports the upload as complete with 100000 of 250000 bytes")
  }

  @Test(
    "If a response omits the last chunk, the offset is requested, and a forgotten upload is an error",
    arguments: [true, false])
  func silent(isKnown: Bool) async throws {
    let server = Server()
    server.state.withLock { $0.answer = .text("stored", status: 201) }
    let bench = UploadBench { request in
      request.method == .head && !isKnown ? .status(404) : server.answer(request)
    }
    if isKnown {
      let receipt = try await bench.upload(.data(content), by: .ietfDraft())
      #expect(receipt.response?.body == Data("stored".utf8))
    } else {
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(.data(content), by: .ietfDraft())
      }
      #expect(
        error.reason == "the server did not confirm the last chunk, and no longer knows the upload")
    }
    #expect(bench.log == ["POST /files ?0", "PATCH /uploads/a at 0 ?1 250000 bytes", "HEAD /uploads/a"])
  }

  @Test("A version with other fields is refused before sending")
  func version() async throws {
    let bench = UploadBench(answer: Server().answer)
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .ietfDraft(interop: 5))
    }
    #expect(error.kind == .unsupported && bench.log.isEmpty)
    #expect(
      error.reason
        == "interop version 5 of the resumable upload draft is not supported: use version 6 or later")
  }

  @Test("An upload is cancelled by DELETE")
  func cancel() async throws {
    let bench = UploadBench { request in
      request.method == .patch ? .status(400) : Server().answer(request)
    }
    await #expect(throws: RequestError.self) { try await bench.upload(.data(content), by: .ietfDraft()) }
    try await bench.agent.cancelUpload(try #require(bench.state), to: .post("files"), by: .ietfDraft())
    #expect(bench.log.last == "DELETE /uploads/a")
  }

  @Test("Parameters of Upload-Complete are ignored, and other values do not count")
  func parameters() async throws {
    for (value, asks) in [("?1;x=1", false), ("?1 ;a;b=\"c,d\"", false), ("\"?1\"", true), ("?1, ?1", true)] {
      let server = Server()
      server.state.withLock { $0.answer = .text("stored", status: 201).header("Upload-Complete", value) }
      let bench = UploadBench(answer: server.answer)
      let receipt = try await bench.upload(.data(content), by: .ietfDraft())
      #expect(receipt.response?.body == Data("stored".utf8))
      #expect((bench.log.last == "HEAD /uploads/a") == asks, "\(value)")
    }
  }
}
