import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandURLSession

/// `ERRAND_SESSION_STORM` overrides 1,000 requests; about a third is cancelled.
@Suite("URLSession: the storm", .serialized, .timeLimit(.minutes(10)))
struct URLSessionStormTests {
  static let count =
    ProcessInfo.processInfo.environment["ERRAND_SESSION_STORM"].flatMap { Int($0) } ?? 1_000

  private struct Gust: Request {
    typealias Response = String
    let path: String
    let method: HTTPMethod
    let body: RequestBody
    let retryPolicy = RetryPolicy.none
    // A busy machine needs time to cancel held requests.
    let timeout = Duration.seconds(1_800)
  }

  @Test("Every dispatch ends once, no body is lost, and no transfer remains")
  func storm() async throws {
    let server = try MockServer()
    defer { server.stop() }
    server.routeGusts()
    let ledger = StormEnds()
    let transport = URLSessionTransport()
    let agent = RequestAgent(baseURL: server.baseURL, transport: transport, accessories: [ledger])
    agent.maxRequestsPerOrigin = 64
    var random = SeededGenerator(seed: 17)
    let gusts = (0..<Self.count).map { _ in
      (kind: random.below(8), moment: random.below(3) == 0 ? random.below(5_000) : nil)
    }
    let outcomes = await withTaskGroup(of: String.self, returning: [String: Int].self) { group in
      var outcomes: [String: Int] = [:]
      for (index, gust) in gusts.enumerated() {
        if index >= 64, let outcome = await group.next() { outcomes[outcome, default: 0] += 1 }
        group.addTask { await Self.send(index, gust.kind, cancelledAfter: gust.moment, by: agent) }
      }
      for await outcome in group { outcomes[outcome, default: 0] += 1 }
      return outcomes
    }
    #expect(outcomes.values.reduce(0, +) == Self.count)
    // The storm must contain successes, failures and cancellations.
    #expect(outcomes.keys.sorted() == ["cancelled", "connectionLost", "right", "status"])
    #expect(agent.liveCount == 0)
    #expect(ledger.counts == [Self.count, Self.count])
    while transport.runningCount > 0 { await Task.yield() }
    print("storm of \(Self.count): \(outcomes.sorted { $0.key < $1.key })")
  }

  private static func send(
    _ index: Int, _ kind: Int, cancelledAfter moment: Int?, by agent: RequestAgent
  ) async -> String {
    let text = "body \(index) " + String(repeating: "x", count: index % 50_000)
    let stream = AsyncStream<Data> { stream in
      stream.yield(Data(text.utf8))
      stream.finish()
    }
    let gust =
      switch kind {
      case 0: Gust(path: "again", method: .post, body: .text(text))
      case 1: Gust(path: "echo", method: .put, body: .stream(stream, length: Int64(text.utf8.count)))
      case 2: Gust(path: "echo", method: .post, body: .stream(stream))
      // A request without a response is always cancelled, on a machine of any speed.
      case 5 where moment != nil: Gust(path: "held", method: .get, body: .none)
      default: Gust(path: ["text", "moved", "slow", "busy", "lost"][kind - 3], method: .get, body: .none)
      }
    let task = Task { try await agent.send(gust) }
    if let moment {
      // Up to some milliseconds of work, independent of time.
      for _ in 0..<moment { await Task.yield() }
      task.cancel()
    }
    do {
      let answer = try await task.value
      return answer == (kind < 3 ? text : "ok") ? "right" : "wrong: \(answer.prefix(40))"
    } catch let error as RequestError {
      return [.cancelled, .connectionLost, .status].contains(error.kind) ? error.kind.name : "other: \(error)"
    } catch {
      return error is CancellationError ? "cancelled" : "other: \(error)"
    }
  }
}

private final class StormEnds: Accessory {
  private let ends = Locked([0, 0])
  var counts: [Int] { ends.withLock { $0 } }
  func requestWillStart(_ context: RequestContext) async { ends.withLock { $0[0] += 1 } }
  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    ends.withLock { $0[1] += 1 }
  }
}

extension MockServer {
  fileprivate func routeGusts() {
    route(nil, "/echo") { .data($0.body, contentType: "text/plain") }
    route(nil, "/again", answers: .status(307).header("Location", "/echo"))
    route(.get, "/text", answers: .text("ok"))
    route(.get, "/moved", answers: .status(302).header("Location", "/text"))
    route(.get, "/slow", answers: MockAnswer.text("ok").delayed(by: .milliseconds(3)))
    route(.get, "/held", answers: MockAnswer.text("ok").delayed(by: .seconds(3_600)))
    route(.get, "/busy", answers: .status(503))
    route(.get, "/lost", answers: .failure(TransportError(.connectionLost, "closed")))
  }
}
