import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Uploads: limits on a server's statements", .timeLimit(.minutes(5)))
struct UploadClaimTests {
  private let content = UploadBench.content(250_000)

  private static let protocols = [UploadProtocol.tus(), .google(), .ietfDraft()]

  /// Of another process's upload with an unknown length.
  private static func state(of uploadProtocol: UploadProtocol) throws -> UploadProtocol.State {
    UploadProtocol.State(
      "\(uploadProtocol)", url: try #require(URL(string: "https://mocked.example/files/1")))
  }

  /// In the fields of every protocol.
  private static func has(_ count: String, _ answer: MockAnswer = .status(200)) -> MockAnswer {
    answer.header("Upload-Offset", count).header("Upload-Complete", "?0")
      .header("X-Goog-Upload-Status", "active").header("X-Goog-Upload-Size-Received", count)
  }

  private static let begun = MockAnswer.status(201).header("Location", "/files/1")
    .header("X-Goog-Upload-URL", "/files/1").header("X-Goog-Upload-Status", "active")

  /// The server keeps `count` bytes of the chunk.
  private static func end(_ request: ReceivedRequest, keeping count: Int = .max) -> String {
    let offset = request.headers["Upload-Offset"] ?? request.headers["X-Goog-Upload-Offset"] ?? ""
    return "\((Int(offset) ?? 0) + min(count, request.body.count))"
  }

  private static func isChunk(_ request: ReceivedRequest) -> Bool {
    request.method == .patch || request.method == .put
  }

  @Test(
    "More bytes than the body has are an error of the body, if the length was unknown",
    arguments: protocols, [(250_000, "9000000000"), (250_000, "9223372036854775807"), (1_000, "1001")])
  func beyond(_ uploadProtocol: UploadProtocol, _ claim: (length: Int, offset: String)) async throws {
    let content = UploadBench.content(claim.length)
    for body in [RequestBody.data(content), .stream { UploadBench.pieces(content) }] {
      let bench = UploadBench { _ in Self.has(claim.offset) }
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(body, by: uploadProtocol, resuming: try Self.state(of: uploadProtocol))
      }
      #expect(error.kind == .encoding && error.stage == .build && bench.log.count == 1)
      #expect(
        error.reason == "the body ends after \(claim.length) bytes, but the server has \(claim.offset) bytes")
    }
  }

  @Test(
    "A state with an impossible number causes no crash",
    arguments: protocols, [Int64.min, -1, .max])
  func states(_ uploadProtocol: UploadProtocol, _ number: Int64) async throws {
    let complete = MockAnswer.status(200).header("Upload-Complete", "?1")
      .header("X-Goog-Upload-Status", "final")
    for hasLength in [false, true] {
      for body in [RequestBody.data(content), .stream { [content] in UploadBench.pieces(content) }] {
        var state = try Self.state(of: uploadProtocol)
        (state.offset, state.granularity, state.chunkLimit) = (number, number, number)
        if hasLength { state.length = number }
        let bench = UploadBench { _ in complete }
        let stored = state
        let error = try await #require(throws: RequestError.self) {
          try await bench.upload(body, by: uploadProtocol, resuming: stored)
        }
        #expect([.encoding, .invalidResponse].contains(error.kind))
      }
    }
  }

  @Test(
    "A stream with a length different from the state's is refused before sending, for any server offset",
    arguments: protocols, [(3, true), (3, false), (1_000, true), (1_000, false), (5, true)])
  func otherStream(_ uploadProtocol: UploadProtocol, _ row: (length: Int, isComplete: Bool)) async throws {
    var state = try Self.state(of: uploadProtocol)
    (state.offset, state.length) = (0, 5)
    let offset = row.isComplete ? 5 : 0
    let answer = MockAnswer.status(200).header("Upload-Offset", "\(offset)")
      .header("Upload-Complete", row.isComplete ? "?1" : "?0")
      .header("X-Goog-Upload-Status", row.isComplete ? "final" : "active")
      .header("X-Goog-Upload-Size-Received", "\(offset)")
    let bench = UploadBench { _ in answer }
    let content = UploadBench.content(row.length)
    let (body, stored) = (RequestBody.stream { UploadBench.pieces(content) }, state)
    if row.length == 5 {
      #expect(try await bench.upload(body, by: uploadProtocol, resuming: stored).size == 5)
    } else {
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(body, by: uploadProtocol, resuming: stored)
      }
      #expect(error.kind == .encoding && error.stage == .build)
      #expect(
        error.reason
          == "the body differs from the body that the upload was started with: start a new upload without the stored state"
      )
    }
    #expect(bench.log.count == 1)
  }

  @Test(
    "A server that accepts one byte of each chunk is abandoned after the allowed number of failures",
    arguments: protocols)
  func drip(_ uploadProtocol: UploadProtocol) async throws {
    let bench = UploadBench { request in
      if request.number == 1 { return Self.begun }
      if Self.isChunk(request) { return Self.has(Self.end(request, keeping: 1)) }
      return Self.has("\(request.number / 2)")
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content.prefix(5_000)), by: uploadProtocol)
    }
    #expect(error.kind == .invalidResponse)
    #expect(error.reason == "the server took only 1 of the 4990 bytes from byte 10 on")
    #expect(bench.transport.requests.filter(Self.isChunk).map(\.body.count) == (0...10).map { 5_000 - $0 })
    #expect(bench.log.count == 22)
  }

  @Test("A sixteenth of a chunk counts as progress, and a byte less does not", arguments: [15_625, 15_624])
  func sixteenth(_ count: Int) async throws {
    let kept = Locked(0)
    let bench = UploadBench { request in
      if request.number == 1 { return Self.begun }
      return kept.withLock { kept in
        if Self.isChunk(request) { kept += min(count, request.body.count) }
        return Self.has("\(kept)").header("Upload-Length", "250000")
      }
    }
    if count == 15_625 {
      #expect(try await bench.upload(.data(content), by: .tus(), maxFailures: 0).size == 250_000)
      #expect(bench.log.count == 17)
    } else {
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(.data(content), by: .tus(), maxFailures: 0)
      }
      #expect(error.reason == "the server took only 15624 of the 250000 bytes from byte 0 on")
      #expect(bench.log.count == 2)
    }
  }

  @Test(
    "A granularity over 8 MiB is refused, because a stream's chunk is kept in memory",
    arguments: [8_388_608, 8_388_609, 1_073_741_824])
  func granularity(_ asked: Int) async throws {
    let content = content
    let bench = UploadBench { request in
      request.number == 1
        ? Self.begun.header("X-Goog-Upload-Chunk-Granularity", "\(asked)")
        : .status(200).header("X-Goog-Upload-Status", "final")
    }
    let body = RequestBody.stream { UploadBench.pieces(content) }
    if asked == 8_388_608 {
      #expect(try await bench.upload(body, by: .google(chunkSize: 1)).size == 250_000)
    } else {
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(body, by: .google(chunkSize: 1))
      }
      #expect(error.kind == .invalidResponse && bench.log.count == 1)
      #expect(
        error.reason
          == "the server requires chunks in multiples of \(asked) bytes, more than the maximum of 8388608 bytes"
      )
    }
  }

  @Test(
    "A chunk limit below 16 KiB is refused, unless the remainder fits",
    arguments: [
      (250_000, 8_388_608, "1", 16_384), (250_000, 8_388_608, "16383", 16_384),
      (250_000, 8_388_608, "16384", nil), (250_000, 500, "100", 500), (250_000, 500, "500", nil),
      (250_000, 500, "600", nil), (80, 8_388_608, "100", nil),
    ] as [(Int, Int, String, Int?)])
  func limits(length: Int, size: Int, limit: String, least: Int?) async throws {
    let server = DraftUploadTests.Server(limit: "max-append-size=\(limit)")
    let bench = UploadBench(answer: server.answer)
    let content = UploadBench.content(length)
    if let least {
      let error = try await #require(throws: RequestError.self) {
        try await bench.upload(.data(content), by: .ietfDraft(chunkSize: size))
      }
      #expect(error.kind == .invalidResponse && bench.log.count == 1)
      #expect(
        error.reason
          == "the server accepts chunks of at most \(limit) bytes, less than the minimum of \(least) bytes")
    } else {
      #expect(try await bench.upload(.data(content), by: .ietfDraft(chunkSize: size)).size == length)
      #expect(server.state.withLock(\.data) == content)
    }
  }

  @Test(
    "A server that repeatedly loses acknowledged bytes is abandoned, even with some progress each time"
  )
  func setbacks() async throws {
    let (furthest, isLost) = (Locked(0), Locked(false))
    let bench = UploadBench { request in
      if request.number == 1 { return Self.begun }
      guard Self.isChunk(request) else {
        isLost.withLock { $0 = false }
        return Self.has("0")
      }
      if isLost.withLock({ $0 }) { return .fault(.reset) }
      let end = Int(Self.end(request)) ?? 0
      if end > furthest.withLock({ $0 }) {
        furthest.withLock { $0 = end }
        isLost.withLock { $0 = true }
      }
      return Self.has("\(end)")
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus(chunkSize: 10_000), maxFailures: 2)
    }
    #expect(error.kind == .invalidResponse)
    #expect(
      error.reason
        == "the server has only 0 of 30000 acknowledged bytes, and has lost acknowledged bytes 3 times"
    )
    // The requests are the creation, then rounds of one, two and three accepted chunks. Each round also has a
    // broken chunk and an offset request.
    #expect(bench.log.count == 13)
  }

  @Test("At most a chunk of a stream is kept, plus a piece and a remainder")
  func keptOfStream() async throws {
    let content = UploadBench.content(300_000)
    let body = RequestBody.stream { UploadBench.pieces(content) }
    let source = try #require(body.uploadSource(expecting: nil) as? StreamedSource)
    var (offset, kept, sent) = (Int64(0), 0, Data())
    while offset < 300_000 {
      let chunk = try await source.chunk(at: offset, size: 10_000, minimumLastChunk: 0)
      kept = max(kept, source.bytesInMemory)
      sent += try #require(chunk.body.data)
      offset = chunk.end
    }
    #expect(sent == content && kept <= 2 * (10_000 + 1_009))
  }

  @Test("Hashing of a long chunk stops after the step of the cancellation")
  func sumIsCancelled() async throws {
    let body = RequestBody.data(Data(count: 3 << 20))
    var steps = 0
    await #expect(throws: CancellationError.self) {
      _ = try await UploadChecksum.sha1.text(of: body) {
        steps += 1
        if steps == 2 { throw CancellationError() }
      }
    }
    #expect(steps == 2)
  }

  @Test("Acknowledged bytes that were never sent are an error, also after a failure")
  func neverSent() async throws {
    let bench = UploadBench { request in
      if request.number == 1 { return Self.begun }
      return Self.isChunk(request) ? .fault(.reset) : Self.has("5000")
    }
    let error = try await #require(throws: RequestError.self) {
      try await bench.upload(.data(content), by: .tus(chunkSize: 1_000))
    }
    #expect(error.kind == .invalidResponse && bench.log.count == 3)
    #expect(error.reason == "the server has 5000 of 250000 bytes, but only 1000 were sent")
  }
}
