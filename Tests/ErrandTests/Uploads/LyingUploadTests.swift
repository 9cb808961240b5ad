import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// `ERRAND_UPLOAD_STEPS` overrides about 8,000 requests.
@Suite("Uploads to a server with false statements", .serialized, .timeLimit(.minutes(15)))
struct LyingUploadTests {
  private static let steps =
    ProcessInfo.processInfo.environment["ERRAND_UPLOAD_STEPS"].flatMap { Int($0) } ?? 8_000

  @Test(
    "False statements cause no crash and no hang, and traffic and memory are within the documented limits",
    arguments: LyingServer.Dialect.allCases)
  func lies(_ dialect: LyingServer.Dialect) async throws {
    var (steps, seed, succeeded) = (0, UInt64(1), 0)
    while steps < Self.steps / 3 {
      var run = LyingRun(dialect, seed: seed)
      let (requests, isWhole) = try await run.upload()
      (steps, seed, succeeded) = (steps + requests, seed + 1, succeeded + (isWhole ? 1 : 0))
    }
    // Some uploads must succeed.
    #expect(succeeded > 0)
  }
}

private struct LyingRun {
  private let dialect: LyingServer.Dialect
  private let seed: UInt64
  private var random: SeededGenerator
  private let length: Int
  private let chunkSize: Int
  private let maxFailures: Int
  private let isLengthKnown: Bool
  private let isStream: Bool
  /// The state has its own granularity.
  private var hasGranularity = false

  init(_ dialect: LyingServer.Dialect, seed: UInt64) {
    (self.dialect, self.seed) = (dialect, seed)
    random = SeededGenerator(seed: seed)
    chunkSize = random.one(of: [1, 7, 999, 4_096, 5_000, 20_000, 8_388_608, .max])
    length = random.below(chunkSize < 100 ? 300 : 60_000)
    maxFailures = random.one(of: [0, 1, 2, 3, 10])
    let kind = random.below(4)
    (isStream, isLengthKnown) = (kind < 2, kind > 0)
  }

  private var uploadProtocol: UploadProtocol {
    switch dialect {
    case .tus: .tus(chunkSize: chunkSize, checksums: seed % 5 == 0)
    case .google: .google(chunkSize: chunkSize)
    case .draft: .ietfDraft(chunkSize: chunkSize)
    }
  }

  /// Returns the number of requests, and whether the upload succeeded.
  mutating func upload() async throws -> (requests: Int, isWhole: Bool) {
    let (content, server) = (
      UploadBench.content(length), LyingServer(dialect, seed: seed, chunkSize: chunkSize)
    )
    let bench = UploadBench(answer: server.answer)
    let body: RequestBody =
      isStream
      ? .stream(length: isLengthKnown ? Int64(length) : nil) { server.pieces(of: content) } : .data(content)
    let state = try strangeState()
    var receipt: UploadProtocol.Receipt?
    do {
      receipt = try await bench.upload(body, by: uploadProtocol, resuming: state, maxFailures: maxFailures)
    } catch let error as RequestError {
      #expect(Self.kinds.contains(error.kind), "seed \(seed): \(error)")
    }
    if let receipt, isLengthKnown || state?.length == nil {
      #expect(receipt.size == Int64(length), "seed \(seed)")
    }
    check(server.traffic)
    return (bench.transport.requests.count, receipt != nil)
  }

  private static let kinds: Set<RequestError.Kind> = [
    .invalidResponse, .encoding, .status, .connectionLost, .redirect, .transport,
  ]

  /// See *Limits for upload servers* in the guide.
  private func check(_ traffic: LyingServer.Traffic) {
    let (most, failures) = (18 * (maxFailures + 1) * length, maxFailures + 1)
    #expect(traffic.bytes <= most, "seed \(seed)")
    // A chunk that is a multiple of the granularity may be half as long as requested.
    let shortest = max(min(chunkSize, 4_096) / 2, 1)
    #expect(traffic.chunks <= 2 * failures * (length / shortest + 2), "seed \(seed)")
    #expect(traffic.requests <= 8 * failures * (length / shortest + 2), "seed \(seed)")
    // The limit is a chunk, the remainder sent with the chunk, and a piece of the stream. The state may have
    // another granularity than the server.
    let granularity = hasGranularity ? length : min(traffic.granularity, length)
    let longest = max(min(chunkSize, length), granularity)
    #expect(traffic.kept <= longest + 2_500 + 1_009 + 1, "seed \(seed)")
  }

  /// In about a third of all cases.
  private mutating func strangeState() throws -> UploadProtocol.State? {
    guard random.below(3) == 0, let url = URL(string: "https://mocked.example/files/1") else { return nil }
    var state = UploadProtocol.State("\(uploadProtocol)", url: url)
    state.offset = number()
    if random.below(3) == 0 { state.length = random.below(4) == 0 ? number() : Int64(length) }
    if random.below(3) == 0 { (state.granularity, hasGranularity) = (number(), true) }
    if random.below(3) == 0 { state.chunkLimit = number() }
    if random.below(3) == 0 { state.checksum = random.one(of: UploadChecksum.allCases) }
    // As for storage.
    return try JSONDecoder().decode(UploadProtocol.State.self, from: JSONEncoder().encode(state))
  }

  private mutating func number() -> Int64 {
    random.one(of: [
      0, 1, -1, 100, Int64(length), Int64(length) + 1, 20_000, 9_000_000_000, .max, .max - 1, .min, .min + 1,
    ])
  }
}

/// Arbitrary responses from a seed.
final class LyingServer: Sendable {
  enum Dialect: String, CaseIterable, Sendable { case tus, google, draft }

  /// Without redirected requests.
  struct Traffic {
    var requests = 0
    /// The requests with bytes of the body, and the total of these bytes.
    var chunks = 0
    var bytes = 0
    /// The maximum number of bytes that were read from the stream, counted from the start of the chunk that
    /// arrived.
    var kept = 0
    var granularity = 0
  }

  private enum Lie: CaseIterable {
    case none, one, some, nothing, back, huge, complete, silence, status, forgotten, reset, redirect
  }

  private struct State {
    var random: SeededGenerator
    var traffic = Traffic()
    /// Claimed by the server.
    var known = 0
    /// From the latest stream.
    var read = 0
    var habit = Lie.none
  }

  private let dialect: Dialect
  private let chunkSize: Int
  private let state: Locked<State>

  init(_ dialect: Dialect, seed: UInt64, chunkSize: Int) {
    (self.dialect, self.chunkSize) = (dialect, chunkSize)
    var random = SeededGenerator(seed: seed &* 7_919)
    let habit = random.one(of: Lie.allCases)
    state = Locked(State(random: random, habit: habit))
  }

  var traffic: Traffic { state.withLock(\.traffic) }

  /// In pieces of different lengths; counts the read bytes.
  func pieces(of data: Data) -> AsyncStream<Data> {
    state.withLock { $0.read = 0 }
    let rest = Locked((data: data, length: 1))
    return AsyncStream { [self] in
      let piece = rest.withLock { rest in
        let piece = Data(rest.data.prefix(rest.length))
        rest = (rest.data.dropFirst(piece.count), rest.length * 3 % 1_009 + 1)
        return piece
      }
      state.withLock { $0.read += piece.count }
      return piece.isEmpty ? nil : piece
    }
  }

  @Sendable func answer(_ request: ReceivedRequest) -> MockAnswer {
    state.withLock { state in
      if request.path.hasSuffix("/moved") { return .text("moved here") }
      state.traffic.requests += 1
      if request.method == .options { return .status(204).header("Tus-Checksum-Algorithm", "sha1") }
      if request.path == "/files" { return begin(&state) }
      if request.method == .patch || request.method == .put { receive(request, &state) }
      let lie = state.random.below(4) == 0 ? state.random.one(of: Lie.allCases) : state.habit
      return answer(request, lie, &state)
    }
  }

  private func begin(_ state: inout State) -> MockAnswer {
    state.known = 0
    if state.random.below(20) == 0 { return .status(state.random.one(of: [503, 404])) }
    var answer = MockAnswer.status(201).header("Location", "/files/1").header("X-Goog-Upload-URL", "/files/1")
    if state.random.below(3) == 0 {
      let asked = state.random.one(of: [
        "0", "1", "256", "4096", "8388608", "8388609", "1073741824", "9223372036854775807", "-1",
      ])
      if let asked = Int(asked) { state.traffic.granularity = max(state.traffic.granularity, asked) }
      answer = answer.header("X-Goog-Upload-Chunk-Granularity", asked)
    }
    return limited(answer, &state)
  }

  private func limited(_ answer: MockAnswer, _ state: inout State) -> MockAnswer {
    guard dialect == .draft, state.random.below(10) == 0 else { return answer }
    let limit = state.random.one(of: [
      "16384", "20000", "40000", "9223372036854775807", "0", "-5", "x", "1", "4096",
    ])
    return answer.header("Upload-Limit", "max-append-size=\(limit)")
  }

  private func receive(_ request: ReceivedRequest, _ state: inout State) {
    guard !request.body.isEmpty else { return }
    state.traffic.chunks += 1
    state.traffic.bytes += request.body.count
    let offset = request.headers["Upload-Offset"] ?? request.headers["X-Goog-Upload-Offset"]
    state.traffic.kept = max(state.traffic.kept, state.read - (offset.flatMap { Int($0) } ?? 0))
  }

  private func answer(_ request: ReceivedRequest, _ lie: Lie, _ state: inout State) -> MockAnswer {
    let offset = request.headers["Upload-Offset"] ?? request.headers["X-Goog-Upload-Offset"]
    let start = offset.flatMap { Int($0) } ?? state.known
    let end = start + request.body.count
    switch lie {
    case .none: state.known = end
    case .one: state.known = min(start + 1, end)
    case .some: state.known = start + state.random.below(request.body.count + 1)
    case .nothing: state.known = start
    case .back: state.known = state.random.below(start + 1)
    case .huge:
      return tell(
        state.random.one(of: [
          "9000000000", "9223372036854775807", "18446744073709551616", "-1", "abc", "", "\(end + 1)",
        ]), state.random.below(2) == 0, request, &state)
    case .complete: return tell("\(state.random.one(of: [end, start, 0]))", true, request, &state)
    case .silence: return .text("welcome")
    case .status:
      let status = state.random.one(of: [408, 409, 423, 429, 460, 500, 502, 503, 504])
      return .status(HTTPResponse.Status(status)).header("Retry-After", "99999")
    case .forgotten: return .status(state.random.one(of: [404, 410]))
    case .reset:
      state.known = start + state.random.below(request.body.count + 1)
      return .fault(.reset)
    case .redirect: return .status(state.random.one(of: [303, 307])).header("Location", "/files/1/moved")
    }
    return tell("\(state.known)", isLast(request), request, &state)
  }

  private func isLast(_ request: ReceivedRequest) -> Bool {
    switch dialect {
    case .tus: false
    case .google: request.headers["X-Goog-Upload-Command"]?.contains("finalize") == true
    case .draft: request.headers["Upload-Complete"] == "?1"
    }
  }

  private func tell(
    _ count: String, _ isComplete: Bool, _ request: ReceivedRequest, _ state: inout State
  ) -> MockAnswer {
    switch dialect {
    case .tus:
      let answer = MockAnswer.status(200).header("Upload-Offset", count)
      return isComplete ? answer.header("Upload-Length", count) : answer
    case .draft:
      return limited(
        .status(200).header("Upload-Offset", count).header("Upload-Complete", isComplete ? "?1" : "?0"),
        &state)
    case .google:
      let answer = MockAnswer.status(state.random.below(4) == 0 && !isComplete ? 308 : 200)
        .header("X-Goog-Upload-Status", isComplete ? "final" : "active")
      return state.random.below(2) == 0
        ? answer.header("X-Goog-Upload-Size-Received", count) : answer.header("Range", "bytes=0-\(count)")
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }
}
