import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Atomic downloads", .timeLimit(.minutes(5)))
struct DownloadTests {
  struct GetReport: DownloadRequest {
    var destination: URL
    var path: String { "reports/7.csv" }
    var retryPolicy: RetryPolicy = .none
    var limits: TransferLimits?
  }

  private let directory = TemporaryDirectory()

  private func agent(_ answers: MockAnswer...) -> RequestAgent {
    let transport = MockTransport(answers.map { Stub(nil, "*", answers: $0).times(1) })
    return .mocked(by: transport)
  }

  @Test("A download replaces the old file, creates directories, and leaves no other file")
  func replaces() async throws {
    let destination = directory.url.appendingPathComponent("a/b/report.csv")
    let agent = agent(.text("old"), .chunks([Data("new,".utf8), Data("er".utf8)]))
    for (content, size) in [("old", 3), ("new,er", 6)] {
      let file = try await agent.send(GetReport(destination: destination))
      #expect(file == DownloadedFile(url: destination, size: Int64(size)))
      #expect(try String(contentsOf: destination, encoding: .utf8) == content)
      #expect(try directory.files == ["a", "a/b", "a/b/report.csv"])
    }
  }

  @Test("A download cancelled by the outcome hooks is cancelled, and the moved file stays")
  func cancelledAfterTheMove() async throws {
    struct Cancelling: RequestHooks {
      func preprocess<Value>(_ outcome: Outcome<Value>, context: RequestContext) async {
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    let destination = directory.url.appendingPathComponent("report.csv")
    try Data("old".utf8).write(to: destination)
    let agent = RequestAgent(
      baseURL: "https://a.example", transport: MockTransport([Stub(nil, "*", answers: .text("new"))]),
      hooks: [Cancelling()])
    let task = Task { try await agent.send(GetReport(destination: destination)) }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try String(contentsOf: destination, encoding: .utf8) == "new")
    #expect(try directory.files == ["report.csv"])
  }

  @Test("An empty body is an empty file")
  func empty() async throws {
    let destination = directory.url.appendingPathComponent("empty")
    #expect(try await agent(.status(204)).send(GetReport(destination: destination)).size == 0)
    #expect(try Data(contentsOf: destination).isEmpty)
  }

  @Test("A refused, interrupted or too long download leaves the old file unchanged")
  func refused() async throws {
    let destination = directory.url.appendingPathComponent("report.csv")
    try Data("kept".utf8).write(to: destination)
    var limits = TransferLimits()
    limits.bodySize = 5
    let rows: [(MockAnswer, RequestError.Kind, String)] = [
      (.text("no such report", status: 404), .status, "no such report"),
      (.text("0123456789").fault(.truncated(after: 4)), .connectionLost, ""),
      (.chunks([Data("0123".utf8), Data("4567".utf8)]), .limitExceeded, ""),
    ]
    for (answer, kind, body) in rows {
      let error = try await #require(throws: RequestError.self) {
        try await agent(answer).send(GetReport(destination: destination, limits: limits))
      }
      #expect(error.kind == kind)
      #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == body)
      #expect(try String(contentsOf: destination, encoding: .utf8) == "kept")
      #expect(try directory.files == ["report.csv"])
    }
  }

  @Test("A retry restarts the file")
  func retry() async throws {
    let destination = directory.url.appendingPathComponent("report.csv")
    let agent = agent(.text("aaaaaaaaaa").fault(.truncated(after: 4)), .text("bbb"))
    let request = GetReport(
      destination: destination, retryPolicy: .upTo(1, backoff: .constant(.zero)))
    let received = try await agent.response(for: request)
    #expect(received.value.size == 3)
    #expect(try String(contentsOf: destination, encoding: .utf8) == "bbb")
    #expect(received.report.attempts.map(\.bodyLength) == [4, 3])
    #expect(received.response.body.isEmpty)
    #expect(try directory.files == ["report.csv"])
  }

  @Test("All stages run, and the response hooks get the head")
  func line() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.mocked(
      by: MockTransport([Stub(nil, "*", answers: .text("abc"))]), hooks: [RecordingHooks(recorder: recorder)],
      accessories: [RecordingAccessory(recorder: recorder)])
    let file = try await agent.download(
      StageProbe(recorder: recorder), to: directory.url.appendingPathComponent("x"))
    #expect(file.size == 3)
    #expect(
      recorder.events == [
        "accessory.willStart", "accessory.attemptWillStart 1", "build", "request.filterRequest 1",
        "agent.filterRequest 1", "accessory.attemptWillSend 1", "validate.head 1", "request.filterResponse 1",
        "agent.filterResponse 1", "accessory.attemptDidStop 1", "agent.preprocess success",
        "accessory.willStop", "agent.filter success", "agent.completed success", "accessory.didStop success",
      ])
  }

  @Test("The request's own hooks run with the file as value, and for failures")
  func ownHooks() async throws {
    struct Watched: DownloadRequest {
      let recorder: Recorder
      let destination: URL
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        recorder.add("filterResponse \(response.body.count)")
        response.body = Data("other".utf8)
      }
      func completed(_ outcome: Outcome<DownloadedFile>, context: RequestContext) async {
        recorder.add("completed \(outcome.value?.size ?? -1)")
      }
    }
    let recorder = Recorder()
    let destination = directory.url.appendingPathComponent("x")
    let watched = Watched(recorder: recorder, destination: destination)
    let agent = agent(.text("abc"), .text("abcd"), .status(500))
    _ = try await agent.send(watched)
    _ = try await agent.download(watched, to: destination)
    await #expect(throws: RequestError.self) { try await agent.download(watched, to: destination) }
    #expect(
      recorder.events == [
        "filterResponse 0", "completed 3", "filterResponse 0", "completed 4", "completed -1",
      ])
    #expect(try String(contentsOf: destination, encoding: .utf8) == "abcd")
  }

  @Test("A cancellation leaves the old file unchanged", arguments: [false, true])
  func cancelled(byTask: Bool) async throws {
    let destination = directory.url.appendingPathComponent("report.csv")
    try Data("kept".utf8).write(to: destination)
    let server = try MockServer()
    server.enqueue(.text("0123456789").fault(.stalled(after: 4)))
    let agent = RequestAgent(baseURL: server.baseURL)
    if byTask {
      let task = Task { try await agent.download(.get("x"), to: destination) }
      while try directory.files.count < 2 { await Task.yield() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    } else {
      let handle = agent.start(GetReport(destination: destination))
      while try directory.files.count < 2 { await Task.yield() }
      handle.cancel()
      let error = await #expect(throws: RequestError.self) { try await handle.value }
      #expect(error?.kind == .cancelled)
    }
    while agent.liveCount > 0 { await Task.yield() }
    #expect(try String(contentsOf: destination, encoding: .utf8) == "kept")
    #expect(try directory.files == ["report.csv"])
  }

  @Test("An unwritable location is named")
  func unwritable() async throws {
    let file = directory.url.appendingPathComponent("file")
    try Data("x".utf8).write(to: file)
    let below = file.appendingPathComponent("below/x")
    let error = try await #require(throws: RequestError.self) {
      try await agent(.text("abc")).send(GetReport(destination: below))
    }
    #expect(error.kind == .file)
    #expect(
      error.reason == "\(file.path)/below cannot be created: Not a directory")
    let web = try #require(URL(string: "https://example.com/x"))
    let other = try await #require(throws: RequestError.self) {
      try await agent(.text("abc")).send(GetReport(destination: web))
    }
    #expect(other.reason == "the destination https://example.com/x is not a file URL")
    let zero = try await #require(throws: RequestError.self) {
      try await agent(.text("abc")).send(GetReport(destination: file.appendingPathComponent("a\0b")))
    }
    #expect(zero.reason == "the destination has a zero byte in its path")
    // The errors `other` and `zero` occur before sending.
    #expect(other.response == nil && zero.response == nil && error.response?.status == 200)
    let device = try await #require(throws: RequestError.self) {
      try await agent(.text("abc")).send(GetReport(destination: URL(fileURLWithPath: "/proc/x")))
    }
    #expect(device.reason.hasPrefix("/proc cannot be written: "))
  }

  @Test("A complete body of a hook, a mock or a data URL is written")
  func whole() async throws {
    struct Answering: DownloadRequest {
      let destination: URL
      let mockPolicy = MockPolicy.always
      func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
        HTTPResponse(body: Data("mock".utf8))
      }
    }
    let destination = directory.url.appendingPathComponent("x")
    var configuration = AgentConfiguration()
    configuration.allowsMocks = true
    let agent = RequestAgent(baseURL: "https://example.com", configuration: configuration)
    #expect(try await agent.send(Answering(destination: destination)).size == 4)
    #expect(try await agent.download(.get("data:,text"), to: destination).size == 4)
    #expect(try String(contentsOf: destination, encoding: .utf8) == "text")
    let serializer = StandardSerializer<DownloadedFile>.file(to: destination)
    let file = try await serializer.serialize(HTTPResponse(body: Data("by hand".utf8)), context: .test())
    #expect(file == DownloadedFile(url: destination, size: 7))
    #expect(try directory.files == ["x"])
  }

  @Test("Every byte of a large body over a socket arrives, and the slot is held until the last byte")
  func large() async throws {
    let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    let server = try MockServer()
    server.enqueue(.data(body))
    let agent = RequestAgent(baseURL: server.baseURL)
    let destination = directory.url.appendingPathComponent("large")
    #expect(try await agent.download(.get("x"), to: destination).size == 3_000_000)
    #expect(try Data(contentsOf: destination) == body)
    #expect(agent.runningCount == 0)
  }
}
