import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Ends of shared transfers", .timeLimit(.minutes(5)))
struct CoalescingEndingTests {
  @Test("Only the cancelled dispatch leaves, even if that dispatch started the transfer", arguments: [0, 5])
  func one(_ index: Int) async throws {
    let transport = HeldTransport()
    let agent = RequestAgent.held(by: transport)
    var handles = [agent.start(Shared())]
    await agent.waitForSharing(1)
    for _ in 1..<10 { handles.append(agent.start(Shared())) }
    await agent.waitForSharing(10)
    handles[index].cancel()
    let error = try await #require(throws: RequestError.self) { try await handles[index].value }
    #expect(error.kind == .cancelled && error.stage == .transport)
    #expect(agent.sharedTransfers.waiterCount == 9 && transport.cancelled == 0)
    transport.open()
    for (number, handle) in handles.enumerated() where number != index {
      #expect(try await handle.value == "ok")
    }
    #expect(transport.requests.count == 1)
  }

  @Test("The last dispatch that leaves ends the transfer, and the next request starts a new transfer")
  func all() async throws {
    let transport = HeldTransport(gates: 2)
    let agent = RequestAgent.held(by: transport)
    let handles = (0..<10).map { _ in agent.start(Shared()) }
    await agent.waitForSharing(10)
    agent.cancelAll()
    for handle in handles {
      let error = try await #require(throws: RequestError.self) { try await handle.value }
      #expect(error.reason == "the agent cancelled all its requests")
    }
    #expect(agent.sharedTransfers.count == 0)
    transport.open(1)
    #expect(try await agent.send(Shared()) == "ok")
    while transport.cancelled == 0 { await Task.yield() }
    #expect(transport.requests.count == 2 && transport.cancelled == 1)
  }

  @Test("The connection to the server ends with the last dispatch")
  func served() async throws {
    let server = try MockServer()
    defer { server.stop() }
    server.route(.get, "/users", answers: .text("late").delayed(by: .seconds(60)))
    let agent = RequestAgent(baseURL: server.baseURL)
    let handles = (0..<3).map { _ in agent.start(Shared()) }
    await agent.waitForSharing(3)
    await server.waitForRequests(1)
    handles[0].cancel()
    handles[1].cancel()
    for handle in handles[0..<2] { await #expect(throws: RequestError.self) { try await handle.value } }
    #expect(server.closedConnectionCount == 0)
    handles[2].cancel()
    await server.waitForClosedConnections(1)
    #expect(server.requestCount == 1)
  }

  @Test("A cancelled task leaves the transfer")
  func task() async throws {
    let transport = HeldTransport()
    let agent = RequestAgent.held(by: transport)
    let handle = agent.start(Shared())
    let task = Task { try await agent.send(Shared()) }
    await agent.waitForSharing(2)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    transport.open()
    #expect(try await handle.value == "ok")
  }

  @Test("Each dispatch has its own deadline")
  func deadline() async throws {
    let (transport, clock) = (HeldTransport(), TestClock())
    let agent = RequestAgent.held(by: transport, clock: AgentClock(clock))
    let hasty = agent.start(Shared().with(\.deadline, .seconds(5)))
    let patient = agent.start(Shared())
    await agent.waitForSharing(2)
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    let error = try await #require(throws: RequestError.self) { try await hasty.value }
    #expect(error.kind == .deadlineExceeded && error.stage == .transport)
    transport.open()
    #expect(try await patient.value == "ok")
    #expect(transport.requests.count == 1)
  }

  @Test("All dispatches get the failure, each decides on a retry, and the retry is shared again")
  func failing() async throws {
    let transport = HeldTransport(gates: 2) { _, number in
      if number == 1 { throw TransportError(.connectionLost, "cut") }
      return .ok
    }
    let agent = RequestAgent.held(by: transport)
    let handles = (0..<100).map { number in
      agent.start(Shared(retryPolicy: number < 50 ? .upTo(1, backoff: .constant(.zero)) : .none))
    }
    await agent.waitForSharing(100)
    transport.open()
    await agent.waitForSharing(50)
    transport.open(1)
    for (number, handle) in handles.enumerated() {
      if number < 50 {
        #expect(try await handle.value == "ok")
      } else {
        let error = try await #require(throws: RequestError.self) { try await handle.value }
        #expect(error.kind == .connectionLost && error.reason == "cut" && error.attempts == 1)
      }
    }
    #expect(transport.requests.count == 2)
  }

  @Test("A truncated body, and a body over the limit, fail each dispatch as without sharing")
  func bodies() async throws {
    for isCut in [true, false] {
      let transport = HeldTransport { _, _ in
        let body = isCut ? BodyStream(SequenceSource(CutBody())) : BodyStream(Data("half and more".utf8))
        return TransportResponse(head: HTTPResponse(status: 203), body: body)
      }
      let agent = RequestAgent.held(by: transport)
      var limits = TransferLimits()
      limits.bodySize = 8
      let handles = (0..<3).map { _ in agent.start(Shared().with(\.limits, limits)) }
      await agent.waitForSharing(3)
      transport.open()
      for handle in handles {
        let error = try await #require(throws: RequestError.self) { try await handle.value }
        #expect(error.kind == (isCut ? .connectionLost : .limitExceeded) && error.status == 203)
        #expect(error.response?.body == Data((isCut ? "half" : "half and more").utf8))
      }
      #expect(transport.requests.count == 1)
    }
  }

  @Test("A body over the limit ends in an error also for a file, whose size has no limit by default")
  func bodyOverLimit() async throws {
    let transport = HeldTransport { _, _ in
      TransportResponse(head: HTTPResponse(), body: BodyStream(Data("half and more".utf8)))
    }
    transport.open()
    var request = TransportRequest(HTTPRequest(url: try #require(URL(string: "http://a/b"))))
    request.limits.bodySize = 8
    let answer = try await SharedTransfer(by: transport).run(request).get()
    let failure = try #require(answer.failure as? TransportError)
    #expect(
      failure.kind == .limitExceeded
        && failure.message == "the body is longer than limits.bodySize, 8 bytes")
    var body = Data()
    await #expect(throws: TransportError.self) {
      for try await chunk in answer.response.body { body.append(chunk) }
    }
    #expect(body == Data("half and more".utf8))
  }

  @Test(
    "In a storm of cancellations each dispatch has one outcome, and every transfer ends",
    arguments: [1, 2, 3] as [UInt64])
  func storm(_ seed: UInt64) async throws {
    let ledger = StormLedger()
    let transport = FunctionTransport { _, _ in
      for _ in 0..<20 { await Task.yield() }
      return HTTPResponse(body: Data("ok".utf8))
    }
    let agent = RequestAgent(baseURL: "http://a", transport: transport, accessories: [ledger])
    var random = SeededGenerator(seed: seed)
    let count = 2_000
    for batch in 0..<(count / 100) {
      let handles = (0..<100).map { number in
        agent.start(Shared(path: "users/\(random.below(3))").with(\.tag, batch * 100 + number))
      }
      for handle in handles {
        if random.below(3) == 0 { handle.cancel() }
        if random.below(10) == 0 { await Task.yield() }
      }
      for (number, handle) in handles.enumerated() {
        do { #expect(try await handle.value == "ok") } catch let error as RequestError {
          #expect(error.kind == .cancelled)
        }
        ledger.complete(batch * 100 + number)
      }
    }
    for index in 0..<count {
      let events = ledger.events(of: index)
      #expect(events.starts == 1 && events.ends == 1 && events.stops == 1 && events.completions == 1)
      #expect(events.attemptStarts == events.attemptStops)
    }
    #expect(
      agent.liveCount == 0 && agent.sharedTransfers.count == 0 && agent.sharedTransfers.waiterCount == 0)
    #expect(transport.requests.count < count / 2)
  }
}
