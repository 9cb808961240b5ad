import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Slots: a storm of starts, ends and cancellations", .timeLimit(.minutes(5)))
struct SlotStormTests {
  private struct Stormy: Request {
    typealias Response = Data
    var path = "x"
    var priority: RequestPriority = .default
    var isSerial = false
    var deadline: Duration?
    var retryPolicy: RetryPolicy { .upTo(1, backoff: .constant(.milliseconds(1))) }
  }

  /// Fails every third request.
  private final class Counting: Transport {
    private struct State {
      var running: [String: Int] = [:]
      var most = 0
      var sent = 0
    }
    private let state = Locked(State())
    var capabilities: TransportCapabilities { TransportCapabilities() }
    var most: Int { state.withLock { $0.most } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let host = request.request.url.host ?? ""
      let number = state.withLock { state in
        state.running[host, default: 0] += 1
        state.most = max(state.most, state.running[host] ?? 0)
        state.sent += 1
        return state.sent
      }
      for _ in 0..<(number % 5) { await Task.yield() }
      state.withLock { $0.running[host, default: 0] -= 1 }
      if request.cancellation.isCancelled { throw TransportError.cancelled }
      if number % 3 == 0 { throw TransportError(.connectionLost, "cut") }
      return TransportResponse(head: HTTPResponse(), body: BodyStream(Data("ok".utf8)))
    }
  }

  @Test(
    "At most the limit runs, every dispatch ends, and no slot or turn stays taken", arguments: 1...3)
  func storm(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let transport = Counting()
    var configuration = AgentConfiguration()
    configuration.maxRequestsPerOrigin = 3
    configuration.destinations.plainHTTP = .allowed
    let agent = RequestAgent(transport: transport, configuration: configuration)
    var handles: [RequestHandle<Data>] = []
    for number in 0..<3_000 {
      let request = Stormy(
        path: "http://\(random.pick(["a", "b"])).example/\(number)",
        priority: RequestPriority(Double(random.below(5))), isSerial: random.below(10) == 0,
        deadline: random.below(10) == 0 ? .milliseconds(random.below(20)) : nil)
      handles.append(agent.start(request))
      switch random.below(10) {
      case 0...3: handles[random.below(handles.count)].cancel()
      case 4:
        let handle = handles[random.below(handles.count)]
        handle.suspend()
        handle.resume()
      case 5: agent.maxRequestsPerOrigin = 1 + random.below(3)
      case 6: await Task.yield()
      default: break
      }
    }
    for handle in handles { _ = try? await handle.value }
    await until { agent.liveCount == 0 }
    #expect(transport.most <= 3)
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
    _ = try? await agent.send(Stormy(path: "http://a.example", isSerial: true))
    #expect(agent.runningCount == 0 && agent.waitingCount == 0)
  }
}
