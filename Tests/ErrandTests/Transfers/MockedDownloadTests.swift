import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Mocked downloads", .timeLimit(.minutes(5)))
struct MockedDownloadTests {
  /// A stub, a server, or the request's own mock.
  enum Source: CaseIterable, Sendable {
    case stub, server, always, whenFailed

    static var here: [Source] { allCases.filter { $0 != .server || Platform.name == "Linux" } }
  }

  private struct GetReport: DownloadRequest {
    var destination: URL
    var mockPolicy = MockPolicy.never
    var answer: HTTPResponse?
    let path = "report"

    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      answer
    }
  }

  /// The same report without a download.
  private struct ReadReport: Request {
    typealias Response = String
    var mockPolicy: MockPolicy
    var answer: HTTPResponse?
    let path = "report"

    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      answer
    }
  }

  private final class Diary: Accessory {
    let recorder = Recorder()

    func transferDidProgress(_ progress: TransferProgress, context: RequestContext) {
      recorder.add("\(context.attempt): \(progress)")
    }

    func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) {
      recorder.add("stop \(context.attempt)\(attempt.isMocked ? " mocked" : "")")
    }
  }

  private let directory = TemporaryDirectory()
  private let diary = Diary()
  private var destination: URL { directory.url.appendingPathComponent("report.csv") }

  /// With a download request, or with the agent's `download`.
  private func download(
    _ body: String, _ status: HTTPResponse.Status = 200, from source: Source, byAgent: Bool
  ) async throws -> DownloadedFile {
    let stub = Stub(.get, "/report", answers: .text(body, status: status))
    let refusing = Stub(.get, "/report", answers: .status(503))
    var configuration = AgentConfiguration()
    configuration.allowsMocks = true
    let server = source == .server ? try MockServer() : nil
    server?.add(stub)
    let agent =
      if let server {
        RequestAgent(baseURL: server.baseURL, accessories: [diary], configuration: configuration)
      } else {
        RequestAgent.mocked(
          source == .stub ? stub : refusing, accessories: [diary], configuration: configuration)
      }
    let policy: MockPolicy =
      switch source {
      case .stub, .server: .never
      case .always: .always
      case .whenFailed: .whenFailed { $0.status == 503 }
      }
    let answer = HTTPResponse(status: status, body: Data(body.utf8))
    guard byAgent else {
      return try await agent.send(
        GetReport(destination: destination, mockPolicy: policy, answer: answer))
    }
    return try await agent.download(ReadReport(mockPolicy: policy, answer: answer), to: destination)
  }

  @Test("The mock's body is the file, with reported progress", arguments: Source.here, [false, true])
  func file(source: Source, byAgent: Bool) async throws {
    try Data("old".utf8).write(to: destination)
    let file = try await download("a;b\n", from: source, byAgent: byAgent)
    #expect(file == DownloadedFile(url: destination, size: 4))
    #expect(try Data(contentsOf: destination) == Data("a;b\n".utf8))
    #expect(try directory.files == ["report.csv"])
    let told = "receiving 4 of 4 bytes, 100 %"
    // On a slow machine there are also intermediate reports.
    #expect(
      diary.recorder.events.filter { !$0.hasSuffix("receiving 4 bytes") }
        == (source == .whenFailed
          ? ["stop 1", "2: \(told)", "stop 2 mocked"]
          : ["1: \(told)", source == .always ? "stop 1 mocked" : "stop 1"]))
  }

  @Test("A refused status leaves the old file", arguments: Source.here, [false, true])
  func refused(source: Source, byAgent: Bool) async throws {
    try Data("old".utf8).write(to: destination)
    let error = try await #require(throws: RequestError.self) {
      _ = try await download("no such report", 404, from: source, byAgent: byAgent)
    }
    #expect(error.status == 404)
    #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == "no such report")
    #expect(try Data(contentsOf: destination) == Data("old".utf8))
    #expect(try directory.files == ["report.csv"])
  }

  @Test(
    "A slow stub reports each piece, and the old file stays until the last piece",
    arguments: [false, true])
  func pieces(byAgent: Bool) async throws {
    try Data("old".utf8).write(to: destination)
    let clock = TestClock()
    let transport = MockTransport(
      [Stub(.get, "/report", answers: .text("a;b\n").throttled(to: 10))], clock: clock)
    let agent = RequestAgent.mocked(by: transport, accessories: [diary])
    let request = GetReport(destination: destination)
    let file = Task {
      byAgent
        ? try await agent.download(OneOffRequest<Void>.get("report"), to: destination)
        : try await agent.send(request)
    }
    for count in 1...4 {
      #expect(try Data(contentsOf: destination) == Data("old".utf8))
      await clock.waitForSleepers()
      await clock.advance(by: .milliseconds(100))
      await until { diary.recorder.events.count >= count }
    }
    #expect(try await file.value == DownloadedFile(url: destination, size: 4))
    #expect(try Data(contentsOf: destination) == Data("a;b\n".utf8))
    #expect(
      diary.recorder.events == [
        "1: receiving 1 of 4 bytes, 25 %", "1: receiving 2 of 4 bytes, 50 %",
        "1: receiving 3 of 4 bytes, 75 %",
        "1: receiving 4 of 4 bytes, 100 %", "stop 1",
      ])
  }

  @Test("A download by the agent reports progress from the first byte to the last, and no more")
  func progress() async throws {
    let clock = TestClock()
    let transport = MockTransport(
      [Stub(.get, "/report", answers: .status(503), .text("abc").throttled(to: 10))], clock: clock)
    let agent = RequestAgent.mocked(
      by: transport, configuration: AgentConfiguration(clock: AgentClock(clock)))
    let seen = Recorder()
    let request = OneOffRequest<Void>.get("report").with(\.retryPolicy, .upTo(1, backoff: .constant(.zero)))
    let file = Task { [destination] in
      try await agent.download(request, to: destination) { seen.add("\($0.attempt): \($0)") }
    }
    for count in 1...3 {
      await clock.waitForSleepers()
      // Waits for the reports of the bytes so far, besides the report of the head.
      await until { seen.events.filter { $0.hasPrefix("2") }.count >= count }
      await clock.advance(by: .milliseconds(100))
    }
    #expect(try await file.value.size == 3)
    #expect(
      seen.events.filter { !$0.hasPrefix("1: receiving 0 of 0") } == [
        "2: receiving 0 of 3 bytes, 0 %", "2: receiving 1 of 3 bytes, 33 %",
        "2: receiving 2 of 3 bytes, 66 %",
        "2: receiving 3 of 3 bytes, 100 %",
      ])
    #expect(agent.liveCount == 0)
  }

  @Test("A failing download reports all progress before throwing")
  func failedProgress() async throws {
    let transport = MockTransport([
      Stub(.get, "/report", answers: .text("abcdef").fault(.truncated(after: 4)))
    ])
    let seen = Recorder()
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent.mocked(by: transport).download(.get("report"), to: destination) {
        seen.add("\($0)")
      }
    }
    #expect(error.kind == .connectionLost)
    let told = seen.events
    #expect(told.last == "receiving 4 of 6 bytes, 66 %")
    await Task.yield()
    #expect(seen.events == told)
  }

  @Test("The handle of a download reports progress")
  func handle() async throws {
    let clock = TestClock()
    let transport = MockTransport(
      [Stub(.get, "/report", answers: .text("abc").throttled(to: 10))], clock: clock)
    let handle = RequestAgent.mocked(by: transport).start(
      GetReport(destination: destination), suspended: true)
    let seen = Recorder()
    let loop = Task { for await progress in handle.progress { seen.add("\(progress)") } }
    await until { seen.events.count == 1 }
    handle.resume()
    for count in 1...3 {
      await clock.waitForSleepers()
      // Waits for the reports of the bytes so far, besides the first report.
      await until { seen.events.count >= count + 1 }
      await clock.advance(by: .milliseconds(100))
    }
    #expect(try await handle.value.size == 3)
    await loop.value
    #expect(
      seen.events.filter { !$0.hasPrefix("waiting") } == [
        "receiving 0 of 3 bytes, 0 %", "receiving 1 of 3 bytes, 33 %", "receiving 2 of 3 bytes, 66 %",
        "receiving 3 of 3 bytes, 100 %",
      ])
    #expect(try Data(contentsOf: destination) == Data("abc".utf8))
  }
}
