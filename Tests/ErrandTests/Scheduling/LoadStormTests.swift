import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Load: a storm with a drain in its midst", .timeLimit(.minutes(5)))
struct LoadStormTests {
  private struct Stormy: Request {
    typealias Response = Data
    var path = "x"
    var tag = 0
    var priority: RequestPriority = .default
    var limitKey: String?
    var isSerial = false
    var deadline: Duration?
    var retryPolicy: RetryPolicy { .upTo(1, backoff: .constant(.milliseconds(1))) }
  }

  /// Counts concurrent requests, and fails some requests.
  private final class Counting: Transport {
    private let state = Locked((running: 0, most: 0, sent: 0))
    var capabilities: TransportCapabilities { TransportCapabilities() }
    var most: Int { state.withLock { $0.most } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let number = state.withLock { state in
        state.running += 1
        state.most = max(state.most, state.running)
        state.sent += 1
        return state.sent
      }
      for _ in 0..<(number % 5) { await Task.yield() }
      state.withLock { $0.running -= 1 }
      if request.cancellation.isCancelled { throw TransportError.cancelled }
      if number % 3 == 0 { throw TransportError(.connectionLost, "cut") }
      return TransportResponse(
        head: HTTPResponse(status: number % 7 == 0 ? 503 : 200), body: BodyStream(Data("ok".utf8)))
    }
  }

  @Test(
    "Each dispatch has one outcome and balanced events, the cap holds, and all counts return to zero",
    arguments: 1...3)
  func storm(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let (transport, ledger, count) = (Counting(), StormLedger(), 3_000)
    var configuration = AgentConfiguration()
    (configuration.maxRequestsPerOrigin, configuration.maxRequests) = (3, 5)
    configuration.maxWaitingPerOrigin = 20
    configuration.circuitBreaker = CircuitBreaker(minimumRequests: 50, openTime: .milliseconds(1))
    configuration.destinations.plainHTTP = .allowed
    let agent = RequestAgent(transport: transport, accessories: [ledger], configuration: configuration)
    var handles: [RequestHandle<Data>] = []
    var drain: Task<Int, Never>?
    for number in 0..<count {
      let request = Stormy(
        path: "http://\(random.pick(["a", "b", "c"])).example/\(number)", tag: number,
        priority: RequestPriority(Double(random.below(5))), limitKey: random.pick([nil, nil, "x", "y"]),
        isSerial: random.below(20) == 0,
        deadline: random.below(10) == 0 ? .milliseconds(random.below(20)) : nil)
      handles.append(agent.start(request) { _ in ledger.complete(number) })
      switch random.below(10) {
      case 0, 1: handles[random.below(handles.count)].cancel()
      case 2: agent.circuit(of: "http://b.example", key: "x")?.open(for: .milliseconds(2))
      case 3: agent.circuit(of: "http://b.example", key: "x")?.close()
      case 4: agent.maxRequests = 1 + random.below(5)
      case 5, 6: await Task.yield()
      default: break
      }
      if number == count * 2 / 3 { drain = Task { await agent.drain(within: .milliseconds(20)) } }
    }
    for handle in handles { _ = try? await handle.value }
    _ = await drain?.value
    await until { agent.liveCount == 0 }
    for number in 0..<count {
      let events = ledger.events(of: number)
      #expect(events.starts == 1 && events.stops == 1 && events.ends == 1 && events.completions == 1)
      #expect(events.attemptStarts == events.attemptStops)
    }
    let words = Set((0..<count).map { ledger.events(of: $0).outcome })
    #expect(words.isSuperset(of: ["success", "cancelled", "failure queueFull", "failure drained"]))
    #expect(transport.most <= 5 && agent.runningCount == 0 && agent.waitingCount == 0)
    let error = await #expect(throws: RequestError.self) {
      try await agent.send(Stormy(path: "http://a.example"))
    }
    #expect(error?.kind == .drained && agent.inFlight.waiterCount == 0)
  }
}
