import ErrandMocks
import Foundation
import Synchronization
import Testing

@testable import Errand

@Suite("Access to the report of a dispatch", .timeLimit(.minutes(5)))
struct ReportDeliveryTests {
  final class Keeper: Accessory {
    private let kept = Locked<[ExchangeReport]>([])
    var reports: [ExchangeReport] { kept.withLock { $0 } }
    func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
      kept.withLock { $0.append(report) }
    }
  }

  struct Replacing: RequestHooks {
    func filter<Value: Sendable>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
      .failure(RequestError(.init("replaced"), "a hook would have it so"))
    }
  }

  let keeper = Keeper()

  func agent(hooks: [any RequestHooks] = []) -> RequestAgent {
    ReportedExchange.agent(TestClock(autoAdvances: true), hooks: hooks) { request in
      request.url?.path == "/bad" ? .status(400) : .text("good")
    }
  }

  func watched(_ path: String) -> some Request<String> {
    ReportedExchange.Fetch(path).with(\.accessories, [keeper])
  }

  var told: String { keeper.reports.last.map { "\($0)" } ?? "none" }

  @Test("A success has its report beside the value, in the handle, and in a stream")
  func success() async throws {
    let agent = agent()
    #expect(try await "\(agent.response(for: watched("good")).report)" == told)
    let handle = agent.start(watched("good"))
    _ = try await handle.value
    #expect(handle.report.map { "\($0)" } == told)
    let streamed = try await agent.stream(watched("good"))
    for try await _ in streamed.body {}
    #expect(streamed.report.map { "\($0)" } == told)
    #expect(keeper.reports.map(\.id) == [1, 2, 3])
  }

  @Test("An error has the report, in every way to catch the error")
  func failure() async throws {
    let agent = agent()
    var caught: [RequestError?] = []
    caught.append(await #expect(throws: RequestError.self) { try await agent.send(watched("bad")) })
    #expect(caught.last??.report.map { "\($0)" } == told)
    caught.append(await #expect(throws: RequestError.self) { try await agent.response(for: watched("bad")) })
    #expect(caught.last??.report.map { "\($0)" } == told)
    caught.append(await #expect(throws: RequestError.self) { try await agent.stream(watched("bad")) })
    #expect(caught.last??.report.map { "\($0)" } == told)
    let handle = agent.start(watched("bad"))
    caught.append(await #expect(throws: RequestError.self) { try await handle.value })
    #expect(caught.last??.report.map { "\($0)" } == told)
    #expect(handle.report.map { "\($0)" } == told)
    let outcome = await withCheckedContinuation { ended in
      agent.start(watched("bad"), on: .global()) { ended.resume(returning: $0) }
    }
    #expect(outcome.error?.report?.attempts.map(\.noRetryReason) == ["the retry policy allows no retry"])
    #expect(caught.map { $0?.report?.id } == [1, 2, 3, 4])
    #expect(caught.allSatisfy { $0?.report?.outcome.error?.report == nil })
  }

  @Test("A group's error has its member's report, and so has each member's outcome")
  func group() async throws {
    let agent = agent()
    let batch = UniformBatch([ReportedExchange.Fetch("good"), ReportedExchange.Fetch("bad")])
    let error = await #expect(throws: RequestError.self) { try await agent.send(batch) }
    #expect(error?.report?.request?.url.path == "/bad" && error?.group?.members.map(\.index) == [1])
    let outcome = try await agent.send(
      ChainRequest { run in await run.outcome(of: ReportedExchange.Fetch("bad")) })
    #expect(outcome.error?.report?.attempts.map(\.failure?.kind) == [.status])
  }

  @Test("An error from a hook has the report")
  func replaced() async throws {
    let agent = agent(hooks: [Replacing()])
    let error = await #expect(throws: RequestError.self) { try await agent.send(watched("good")) }
    let report = try #require(error?.report)
    #expect(report.outcome.error?.kind.name == "replaced" && report.attempts.map(\.failure?.kind) == [nil])
    #expect("\(report)" == told)
  }

  @Test(
    "A cancelled dispatch has its report in its handle and its error, and a cancelled task's in its accessories"
  )
  func cancelled() async throws {
    let agent = agent()
    let canceller = ReportedExchange.Canceller(agent)
    let handle = agent.start(ReportedExchange.Fetch("good").with(\.accessories, [keeper, canceller]))
    let error = await #expect(throws: RequestError.self) { try await handle.value }
    #expect(error?.report.map { "\($0)" } == told && handle.report.map { "\($0)" } == told)
    #expect(error?.report?.outcome.isCancelled == true)

    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await agent.send(watched("good"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(keeper.reports.last?.outcome.isCancelled == true && keeper.reports.map(\.id) == [1, 2])
  }
}
