import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Slots: concurrency limit per origin", .timeLimit(.minutes(5)))
struct HostSlotTests {
  let gate = GateTransport()

  private func paths(_ range: Range<Int>, host: String = "a.example") -> [String] {
    range.map { "\(host)/\($0)" }
  }

  @Test("Of 50 requests to one origin 10 run concurrently, and the next starts when one ends")
  func ten() async throws {
    let agent = RequestAgent(baseURL: "http://a.example", transport: gate)
    #expect(agent.maxRequestsPerOrigin == 10)
    let handles = (0..<50).map { agent.start(.get("\($0)")) }
    await until { agent.waitingCount == 40 }
    await gate.waitForStarts(10)
    #expect(gate.starts.count == 10 && agent.runningCount == 10)
    for count in 10..<50 {
      let last = try #require(gate.starts.last)
      gate.answer(String(last.dropFirst("a.example".count)))
      await gate.waitForStarts(count + 1)
      #expect(agent.runningCount == 10 && agent.waitingCount == 49 - count)
    }
    gate.open()
    for handle in handles { try await handle.value }
    #expect(gate.most == 10 && gate.starts.count == 50)
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }

  @Test(
    "Two origins have 10 slots each; scheme, host and port identify an origin regardless of letter case"
  )
  func origins() async throws {
    let agent = RequestAgent.gated(gate)
    let bases = ["http://a.example/x", "HTTP://A.EXAMPLE:80/y", "http://b.example", "http://b.example:80/z"]
    for base in bases { for number in 0..<15 { agent.start(.get("\(base)/\(number)")) } }
    await gate.waitForStarts(20)
    await until { agent.waitingCount == 40 }
    #expect(gate.most == 20 && agent.runningCount == 20)
    for base in ["http://a.example:8080", "https://b.example"] { agent.start(.get(base)) }
    await gate.waitForStarts(22)
    gate.open()
    await until { agent.liveCount == 0 }
    #expect(gate.starts.count == 62)
  }

  #if os(Linux)
  @Test("A server never sees more than 10 of 50 requests, and two servers 10 each")
  func servers() async throws {
    let servers = try [MockServer(), MockServer()]
    for server in servers { server.route(.get, "/slow", answers: .text("ok").delayed(by: .milliseconds(10))) }
    let agent = RequestAgent()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in servers {
        for _ in 0..<50 { group.addTask { try await agent.send(.get("\(server.baseURL)/slow")) } }
      }
      try await group.waitForAll()
    }
    #expect(servers.map(\.requestCount) == [50, 50])
    #expect(servers.allSatisfy { $0.maximumConcurrency <= 10 })
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }
  #endif

  @Test(
    "The URL after the hooks decides, so a retry to another host waits for the other host's slots")
  func filtered() async throws {
    struct Mirror: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        guard context.attempt == 2, let url = URL(string: "http://b.example\(request.url.path)") else {
          return
        }
        request.url = url
      }
    }
    let agent = RequestAgent.gated(gate, limit: 1, hooks: [Mirror()])
    agent.start(.get("http://b.example/first"))
    await gate.waitForStarts(1)
    let handle = agent.start(
      OneOffRequest.get("x", as: Data.self).with(\.retryPolicy, .upTo(1, backoff: .constant(.zero))))
    await gate.waitForStarts(2)
    gate.answer("/x", HTTPResponse(status: 503))
    await until { agent.waitingCount == 1 }
    #expect(gate.starts == ["b.example/first", "a.example/x"])
    gate.open()
    _ = try await handle.value
    #expect(gate.starts.last == "b.example/x")
  }

  @Test("Raising the limit starts as many more requests, no limit starts all, and lowering ends none")
  func changing() async throws {
    let agent = RequestAgent.gated(gate, limit: 1)
    for number in 0..<9 {
      agent.start(.get("\(number)"))
      await until { agent.runningCount + agent.waitingCount == number + 1 }
    }
    await gate.waitForStarts(1)
    agent.maxRequestsPerOrigin = 4
    await gate.waitForStarts(4)
    #expect(agent.runningCount == 4 && agent.waitingCount == 5)

    agent.maxRequestsPerOrigin = 2
    for number in 0..<2 { gate.answer("/\(number)") }
    await until { agent.liveCount == 7 }
    #expect(agent.runningCount == 2 && agent.waitingCount == 5)
    gate.answer("/2")
    await gate.waitForStarts(5)

    agent.maxRequestsPerOrigin = -1
    await gate.waitForStarts(9)
    #expect(agent.maxRequestsPerOrigin == 0 && agent.runningCount == 6 && agent.waitingCount == 0)
    #expect(Set(gate.starts) == Set(paths(0..<9)))

    // Requests that started without a limit count for the next limit.
    agent.maxRequestsPerOrigin = 6
    await agent.startWaiting(.get("9"))
    gate.open()
    await until { agent.liveCount == 0 }
    #expect(gate.starts.count == 10)
  }

  @Test("Cancelling all of 25 requests ends each, sends no waiting request, and leaves no slot taken")
  func cancelAll() async throws {
    let agent = RequestAgent.gated(gate)
    let handles = (0..<25).map { agent.start(.get("\($0)")) }
    await gate.waitForStarts(10)
    await until { agent.waitingCount == 15 }
    agent.cancelAll()
    #expect(agent.waitingCount == 0)
    for handle in handles {
      let error = await #expect(throws: RequestError.self) { try await handle.value }
      #expect(error?.kind == .cancelled)
    }
    await until { agent.liveCount == 0 }
    #expect(gate.starts.count == 10 && agent.runningCount == 0)
  }

  @Test("A request cancelled while waiting leaves at once and is never sent, and the others keep their order")
  func cancelled() async throws {
    let agent = RequestAgent.gated(gate, limit: 1)
    agent.start(.get("0"))
    await gate.waitForStarts(1)
    let handles = [
      await agent.startWaiting(.get("1")), await agent.startWaiting(.get("2")),
      await agent.startWaiting(.get("3")),
    ]
    handles[1].cancel()
    #expect(agent.waitingCount == 2)
    let error = await #expect(throws: RequestError.self) { try await handles[1].value }
    #expect(error?.stage == .hostSlot && error?.attempts == 1)
    gate.open()
    try await handles[2].value
    #expect(gate.starts == ["a.example/0", "a.example/1", "a.example/3"])
  }

  @Test("A task cancelled while waiting throws CancellationError")
  func taskCancelled() async throws {
    let agent = RequestAgent.gated(gate, limit: 1)
    agent.start(.get("0"))
    await gate.waitForStarts(1)
    let task = Task { try await agent.send(.get("1")) }
    await until { agent.waitingCount == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
    await until { agent.liveCount == 0 }
    #expect(gate.starts == ["a.example/0"])
  }
}
