import Foundation
import Testing

@testable import Errand

@Suite("The number of sent requests", .timeLimit(.minutes(5)))
struct SentCountTests {
  private let recorder = Recorder()

  /// Also after a round trip of the report.
  private static func counts(_ report: ExchangeReport) throws -> [[Int]] {
    let read = try JSONDecoder().decode(ExchangeReport.self, from: JSONEncoder().encode(report))
    return [report, read].map { $0.attempts.map(\.sentCount) }
  }

  @Test("An attempt cancelled while suspended before sending has sent nothing")
  func suspended() async throws {
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let suspended = Suspended(
      agent, StageProbe(recorder: recorder), recorder, at: "accessory.attemptWillSend 1")
    try await suspended.reached()
    // The attempt reaches the wait before sending.
    for _ in 0..<100 { await Task.yield() }
    suspended.handle.cancel()
    await #expect(throws: RequestError.self) { try await suspended.handle.value }
    #expect(try Self.counts(#require(suspended.handle.report)) == [[0], [0]])
    #expect(!recorder.events.contains("transport"))
  }

  @Test("An attempt cancelled in attemptWillSend has sent nothing, also with a cache")
  func willSend() async throws {
    let transport = FunctionTransport()
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    let agent = RequestAgent(
      baseURL: "https://a", transport: transport, accessories: [RecordingAccessory(recorder: recorder)],
      configuration: configuration)
    recorder.on("accessory.attemptWillSend 1") { agent.cancelAll() }
    let handle = agent.start(.get("a"))
    await #expect(throws: RequestError.self) { try await handle.value }
    let report = try #require(handle.report)
    #expect(report.attempts.map(\.stage) == [.transport])
    #expect(try Self.counts(report) == [[0], [0]])
    #expect(transport.requests.isEmpty)
  }

  @Test("After a redirect, an attempt cancelled in attemptWillSend has sent only the first request")
  func redirected() async throws {
    let transport = FunctionTransport.leading(["https://a/1": "/2"])
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    let count = Locked(0)
    let agent = Locked<RequestAgent?>(nil)
    let accessory = EventAccessory(willSend: { _, _ in
      let isSecond = count.withLock { count in
        count += 1
        return count == 2
      }
      if isSecond { agent.withLock { $0 }?.cancelAll() }
    })
    let made = RequestAgent(
      baseURL: "https://a", transport: transport, accessories: [accessory], configuration: configuration)
    agent.withLock { $0 = made }
    let handle = made.start(.get("1"))
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(try Self.counts(#require(handle.report)) == [[1], [1]])
    #expect(transport.lines == ["GET https://a/1"])
    agent.withLock { $0 = nil }
  }
}
