import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// `ERRAND_QUEUE_LENGTH` overrides 10,000; 100,000 simultaneous ends delay other tests.
@Suite("Slots: many requests wait for an origin", .timeLimit(.minutes(5)))
struct LongQueueTests {
  private static let count =
    ProcessInfo.processInfo.environment["ERRAND_QUEUE_LENGTH"].flatMap { Int($0) } ?? 10_000

  private struct Numbered: Request {
    typealias Response = Void
    let number: Int
    var path: String { String(number) }
    var priority: RequestPriority { RequestPriority(Double(number)) }
  }

  /// One running dispatch and many waiting dispatches.
  private func filled(_ gate: GateTransport) async -> RequestAgent {
    let agent = RequestAgent.gated(gate, limit: 1)
    agent.start(Numbered(number: Self.count))
    await gate.waitForStarts(1)
    for index in 0..<Self.count {
      // Multiplies by a prime, so each number occurs once, in mixed order.
      agent.start(Numbered(number: index * 7919 % Self.count))
      // Otherwise other tests wait for all dispatches.
      if index % 100 == 99 { await until { agent.waitingCount == index + 1 } }
    }
    await until { agent.waitingCount == Self.count }
    return agent
  }

  @Test("Requests start by priority, and after cancelling all at once no request waits or is sent")
  func orderAndEnd() async throws {
    let gate = GateTransport()
    let agent = await filled(gate)
    for number in (0..<1_000).map({ Self.count - $0 }) {
      gate.answer("/\(number)")
      await gate.waitForStarts(Self.count - number + 2)
    }
    let numbers = gate.starts.compactMap { Int($0.dropFirst("a.example/".count)) }
    #expect(numbers == (Self.count - 1_000...Self.count).reversed())

    agent.cancelAll()
    #expect(agent.waitingCount == 0)
    await until { agent.liveCount == 0 }
    #expect(gate.starts.count == 1_001 && gate.most == 1 && agent.runningCount == 0)
  }
}
