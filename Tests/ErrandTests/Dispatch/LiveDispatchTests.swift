import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The list of dispatches", .timeLimit(.minutes(5)))
struct LiveDispatchTests {
  private struct Fetch: Request {
    typealias Response = Void
    var path: String
    var tag = 0
    var comment: String?
    var isSerial = false
    var retryPolicy = RetryPolicy.inherited
  }

  private func states(_ agent: RequestAgent) -> [String] {
    agent.dispatches.map { "\($0.id) \($0.tag) \($0.state)" }
  }

  @Test("The list has running and waiting dispatches by number, with the requests' own details")
  func waiting() async throws {
    let gate = GateTransport()
    let agent = RequestAgent.gated(gate, limit: 1)
    #expect(agent.dispatches.isEmpty)
    let first = agent.start(Fetch(path: "a", tag: 1, comment: "the first"))
    await gate.waitForStarts(1)
    let second = await agent.startWaiting(Fetch(path: "b", tag: 2))
    await until { self.states(agent).contains("2 2 waiting at hostSlot") }
    #expect(states(agent) == ["1 1 running", "2 2 waiting at hostSlot"])
    let listed = try #require(agent.dispatches.first)
    #expect(listed.request is Fetch && listed.comment == "the first" && listed.attempts.isEmpty)
    #expect(listed.url?.absoluteString == "http://a.example/a")

    gate.answer("/a")
    try await first.value
    await gate.waitForStarts(2)
    await until { self.states(agent) == ["2 2 running"] }
    gate.answer("/b")
    try await second.value
    #expect(agent.dispatches.isEmpty && agent.liveCount == 0)
  }

  @Test("Cancelling a listed dispatch ends that dispatch like its handle")
  func cancelling() async throws {
    let gate = GateTransport()
    let agent = RequestAgent.gated(gate)
    let handles = (1...3).map { agent.start(Fetch(path: "\($0)", tag: $0)) }
    // The list contains dispatches whose task has not begun.
    #expect(agent.dispatches.map(\.tag) == [1, 2, 3])
    for dispatch in agent.dispatches where dispatch.tag == 2 { dispatch.cancel() }
    let error = try await #require(throws: RequestError.self) { try await handles[1].value }
    #expect(error.kind == .cancelled && error.reason == "the request was cancelled")
    await gate.waitForStarts(2)
    #expect(agent.dispatches.map(\.tag) == [1, 3])
    gate.open()
    for handle in [handles[0], handles[2]] { try await handle.value }
    #expect(agent.dispatches.isEmpty)
  }

  @Test("A dispatch that waits for a retry says so, with its failed attempts")
  func retrying() async throws {
    let clock = TestClock()
    let transport = FunctionTransport { _, number in HTTPResponse(status: number < 3 ? 503 : 200) }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    var policy = RetryPolicy.upTo(2)
    policy.backoff = .constant(.seconds(10))
    configuration.retryPolicy = policy
    let agent = RequestAgent(baseURL: "https://a", transport: transport, configuration: configuration)
    let handle = agent.start(Fetch(path: "x"))
    for count in 1...2 {
      await until {
        agent.dispatches.first.map { $0.attempts.count == count && $0.state == .retrying } == true
      }
      await clock.waitForSleepers(1)
      let listed = try #require(agent.dispatches.first)
      #expect(listed.attempts.map(\.response?.status) == Array(repeating: 503, count: count))
      #expect(listed.attempts.last?.retry?.wait == .seconds(10))
      #expect(listed.elapsed == .seconds(10) * (count - 1))
      #expect(
        "\(listed)"
          == "dispatch 1: Fetch, retrying after \(count) attempt\(count == 1 ? "" : "s"), "
          + "\(listed.elapsed.seconds): GET https://a/x")
      await clock.advance(by: .seconds(10))
    }
    try await handle.value
    #expect(handle.report?.attempts.count == 3 && agent.dispatches.isEmpty)
  }

  @Test(
    "The list shows dispatches that wait for the serial gate or a rate limit, are suspended, or are ending"
  )
  func others() async throws {
    let gate = GateTransport()
    let agent = RequestAgent.gated(gate)
    agent.start(Fetch(path: "a", isSerial: true))
    await gate.waitForStarts(1)
    agent.start(Fetch(path: "b", tag: 7, isSerial: true))
    await until { self.states(agent).last == "2 7 waiting at serialGate" }
    let resting = agent.start(Fetch(path: "c"), suspended: true)
    #expect(agent.dispatches.last?.state == .suspended)
    resting.resume()
    await gate.waitForStarts(2)
    #expect(agent.dispatches.last?.state == .running)
    gate.open()
    await until { agent.dispatches.isEmpty }

    let (hook, released) = (OneTime<Bool>(), OneTime<Bool>())
    let held = RequestAgent(
      baseURL: "https://a", transport: FunctionTransport(), hooks: [HoldingHook(hook, released)])
    let handle = held.start(Fetch(path: "x"))
    _ = try await hook.wait()
    held.dispatches.first?.cancel()
    #expect(held.dispatches.map(\.state) == [.cancelling])
    released.set(true)
    await #expect(throws: RequestError.self) { try await handle.value }

    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock())
    configuration.rateLimit = RateLimit(1, per: .seconds(60))
    let limited = RequestAgent(
      baseURL: "https://a", transport: FunctionTransport(), configuration: configuration)
    try await limited.send(Fetch(path: "x"))
    limited.start(Fetch(path: "y"))
    await until { limited.dispatches.map(\.state) == [.waiting(.throttle)] }
    limited.cancelAll()
    await until { limited.dispatches.isEmpty }
  }

  /// Waits even after the end of the dispatch.
  private struct HoldingHook: RequestHooks {
    let begun: OneTime<Bool>
    let released: OneTime<Bool>

    init(_ begun: OneTime<Bool>, _ released: OneTime<Bool>) {
      (self.begun, self.released) = (begun, released)
    }

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      begun.set(true)
      let released = released
      _ = await Task { try? await released.wait() }.value
    }
  }

  @Test("A stream is listed until the end of its body, and the members of a group are listed")
  func streams() async throws {
    let transport = FunctionTransport { _, _ in HTTPResponse(body: Data("abc".utf8)) }
    let agent = RequestAgent(baseURL: "https://a", transport: transport)
    let response = try await agent.stream(Fetch(path: "x"))
    #expect(agent.dispatches.map(\.state) == [.streaming])
    for try await _ in response.body {}
    #expect(agent.dispatches.isEmpty)

    let gate = GateTransport()
    let gated = RequestAgent.gated(gate)
    let batch = Task { try await gated.sendTogether([Fetch(path: "a"), Fetch(path: "b")]).count }
    await gate.waitForStarts(2)
    #expect(Set(gated.dispatches.compactMap(\.url?.path)) == ["/a", "/b"])
    gate.open()
    #expect(try await batch.value == 2)
  }

  @Test("Secrets are not printed, by name or by value")
  func printed() async throws {
    let gate = GateTransport()
    let agent = RequestAgent.gated(gate)
    let request = Fetch(path: "x?token=s3cret&page=2", comment: "for s3cret")
    agent.start(request)
    await gate.waitForStarts(1)
    let listed = try #require(agent.dispatches.first)
    var dumped = ""
    dump(listed, to: &dumped)
    for text in ["\(listed)", String(reflecting: listed), dumped, "\([listed])"] {
      #expect(text.contains("page=2") && !text.contains("s3cret"))
    }
    gate.open()
    await until { agent.dispatches.isEmpty }
  }

  @Test("An ended dispatch is released, even if the list is kept")
  func released() async throws {
    final class Token: Sendable {}
    struct Holding: Request {
      typealias Response = Void
      let path = "x"
      let token: Token
    }
    weak var token: Token?
    // The dispatch keeps the received response, and nothing with a reference to the dispatch.
    let agent = RequestAgent(baseURL: "https://a", transport: MockTransport { _ in .status(200) })
    func send() async throws {
      let made = Token()
      token = made
      try await agent.send(Holding(token: made))
    }
    try await send()
    #expect(token == nil && agent.dispatches.isEmpty)
  }

  @Test("Listing from many tasks during cancellations is safe")
  func storm() async throws {
    let gate = GateTransport()
    let agent = RequestAgent.gated(gate, limit: 5)
    for round in 0..<10 {
      let handles = (0..<100).map { agent.start(Fetch(path: "\(round)/\($0)", tag: $0)) }
      await withTaskGroup(of: Void.self) { group in
        for lister in 0..<4 {
          group.addTask {
            for _ in 0..<20 {
              for dispatch in agent.dispatches {
                if dispatch.tag == lister { dispatch.cancel() }
                if dispatch.description.isEmpty { Issue.record("nothing is said of \(dispatch.id)") }
              }
              await Task.yield()
            }
          }
        }
        group.addTask { agent.cancelAll() }
      }
      agent.cancelAll()
      for handle in handles { await #expect(throws: RequestError.self) { try await handle.value } }
      #expect(agent.dispatches.isEmpty && agent.liveCount == 0)
    }
  }
}
