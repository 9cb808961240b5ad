import Foundation
import Testing

@testable import Errand

@Suite("Slots of shared transfers", .timeLimit(.minutes(5)))
struct CoalescingSlotTests {
  /// Shares the first hop of a redirect, and sends the second hop alone.
  private struct View: Request {
    typealias Response = String
    let path = "a"
    let coalescing = CoalescingPolicy.whileInFlight
    let number: Int

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      if request.url.path == "/b" { request.url.append(path: "\(number)") }
    }
  }

  @Test("Each unshared hop of a redirect has a slot")
  func redirects() async throws {
    let gate = GateTransport()
    let agent = RequestAgent.gated(gate, limit: 2)
    let handles = (0..<20).map { agent.start(View(number: $0)) }
    await agent.waitForSharing(20)
    await gate.waitForStarts(1)
    gate.answer("/a", HTTPResponse(status: 302, headers: ["Location": "/b"]))
    await until { agent.waitingCount == 18 }
    await gate.waitForStarts(3)
    #expect(agent.runningCount == 2)
    gate.open()
    for handle in handles { _ = try await handle.value }
    #expect(gate.most == 2 && gate.starts.count == 21)
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }

  @Test("The transfer keeps its slot until its end if the starting dispatch leaves")
  func starterLeaves() async throws {
    let gate = GateTransport()
    let agent = RequestAgent.gated(gate, limit: 1)
    let first = agent.start(Shared(path: "a"))
    await gate.waitForStarts(1)
    // A dispatch waits for its slot before the dispatch can share a transfer.
    let other = await agent.startWaiting(Shared(path: "b"))
    agent.maxRequestsPerOrigin = 2
    await gate.waitForStarts(2)
    agent.maxRequestsPerOrigin = 3
    let second = agent.start(Shared(path: "a"))
    await agent.waitForSharing(3)
    agent.maxRequestsPerOrigin = 2
    first.cancel()
    await #expect(throws: RequestError.self) { try await first.value }
    #expect(agent.runningCount == 2)

    await agent.startWaiting(.get("c"))
    gate.answer("/a", HTTPResponse(body: Data("ok".utf8)))
    #expect(try await second.value == "ok")
    await gate.waitForStarts(3)
    gate.open()
    _ = try await other.value
    await until { agent.liveCount == 0 }
    #expect(gate.most == 2 && agent.runningCount == 0)
  }

  @Test("The slot is released when the last waiting dispatch leaves")
  func lastLeaves() async throws {
    let gate = GateTransport()
    let agent = RequestAgent.gated(gate, limit: 1)
    let only = agent.start(Shared(path: "a"))
    await gate.waitForStarts(1)
    let next = await agent.startWaiting(Shared(path: "b"))
    only.cancel()
    await #expect(throws: RequestError.self) { try await only.value }
    await gate.waitForStarts(2)
    gate.open()
    _ = try await next.value
    await until { agent.runningCount == 0 }
  }
}
