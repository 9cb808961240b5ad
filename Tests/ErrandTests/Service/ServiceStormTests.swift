import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

/// 4,000 dispatches; `ERRAND_SERVICE_STORM` sets another number.
@Suite("Every setting for services at once", .timeLimit(.minutes(10)))
struct ServiceStormTests {
  private static let total =
    ProcessInfo.processInfo.environment["ERRAND_SERVICE_STORM"].flatMap(Int.init)
    ?? (Sanitizer.isOn ? 1_000 : 4_000)

  private enum Tag: ContextKey {
    static var defaultValue: Int? { nil }
  }

  private struct TagHooks: RequestHooks {
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      context[Tag.self] = context.tag
    }
  }

  private struct Stormy: Request {
    typealias Response = Void
    var tag: Int
    var priority: RequestPriority
    var limitKey: String?
    var isSerial: Bool
    var deadline: Duration?
    var path: String { "items/\(tag)" }
    var retryPolicy: RetryPolicy { .upTo(2, backoff: .constant(.milliseconds(2))) }
  }

  /// Counts the requests of each path, and the requests with both fields of the agent's settings.
  private final class Counter: Transport {
    let server: LoadServer
    private let state = Locked((sent: [String: Int](), complete: 0))

    init(_ server: LoadServer) { self.server = server }

    var capabilities: TransportCapabilities { server.capabilities }
    var sent: [String: Int] { state.withLock { $0.sent } }
    var complete: Int { state.withLock { $0.complete } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let isComplete =
        request.request.headers["Authorization"] != nil && request.request.headers["Request-Timeout"] != nil
      state.withLock { state in
        state.sent[request.request.url.path, default: 0] += 1
        if isComplete { state.complete += 1 }
      }
      return try await server.send(request)
    }
  }

  /// Answers after 1 to 20 ms; loses every 31st connection, and is overloaded every 17th time.
  private static func server() -> LoadServer {
    LoadServer { number, _ in
      let time = Duration.milliseconds(number % 13 == 0 ? 20 : 1 + number % 5)
      return LoadServer.Answer(after: time, status: number % 31 == 0 ? nil : number % 17 == 0 ? 503 : 200)
    }
  }

  private static func configuration(_ clock: AgentClock) throws -> AgentConfiguration {
    let urls = try ["http://a.example", "http://b.example"].map { try #require(URL(string: $0)) }
    var configuration = AgentConfiguration(deadline: .seconds(3_600))
    configuration.clock = clock
    configuration.failover = Failover(urls, order: .roundRobin, restTime: .milliseconds(20))
    configuration.authenticator = OriginAuthenticator([
      urls[0]: BearerAuthenticator(token: "first"), urls[1]: BearerAuthenticator(token: "second"),
    ])
    configuration.deadlinePropagation = DeadlinePropagation(header: .milliseconds("Request-Timeout"))
    configuration.adaptiveConcurrency = AdaptiveConcurrency(ceiling: 30)
    configuration.hedging = Hedging(percentile: 0.8, share: 1, minimumSamples: 20)
    configuration.retryBudget = RetryBudget(ratio: 0.1, minimumPerSecond: 0, window: .seconds(1_000_000))
    configuration.circuitBreaker = CircuitBreaker(minimumRequests: 50, openTime: .milliseconds(5))
    (configuration.maxRequests, configuration.maxWaitingPerOrigin) = (40, 100)
    configuration.destinations.plainHTTP = .allowed
    return configuration
  }

  private static func request(_ tag: Int, _ random: inout SeededGenerator) -> Stormy {
    Stormy(
      tag: tag, priority: RequestPriority(Double(random.below(5))),
      limitKey: random.pick([nil, nil, "x", "y"]), isSerial: random.below(50) == 0,
      deadline: random.below(10) == 0 ? .milliseconds(random.below(40)) : nil)
  }

  /// Sends requests from 60 tasks, and drains the agent after nine tenths of the requests.
  private static func run(_ agent: RequestAgent, _ ledger: StormLedger, server: LoadServer) async {
    let (next, ended) = (Locked(0), Locked(0))
    await withTaskGroup(of: Void.self) { group in
      for client in 0..<60 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(client))
          while true {
            let tag = next.withLock { next in
              defer { next += 1 }
              return next
            }
            guard tag < total else { break }
            let handle = agent.start(request(tag, &random)) { _ in ledger.complete(tag) }
            if tag == total * 9 / 10 { _ = await agent.drain(within: .milliseconds(10)) }
            if random.below(8) == 0 { handle.cancel() }
            if random.below(8) == 0 { Task { handle.cancel() } }
            if random.below(100) == 0 {
              agent.circuit(of: "http://b.example", key: "x")?.open(for: .milliseconds(2))
            }
            if random.below(100) == 0 { agent.maxRequests = 1 + random.below(40) }
            _ = try? await handle.value
          }
          ended.withLock { $0 += 1 }
        }
      }
      while ended.withLock({ $0 < 60 }) {
        await server.clock.advance(by: .milliseconds(1))
        for _ in 0..<20 { await Task.yield() }
      }
    }
  }

  @Test("Each dispatch has one outcome, the retry budget holds, and all counts return to zero")
  func storm() async throws {
    let (server, ledger, mismatches) = (Self.server(), StormLedger(), Locked(0))
    let transport = Counter(server)
    let reader = EventAccessory(didStop: { _, context in
      if let tag = context[Tag.self], tag != context.tag { mismatches.withLock { $0 += 1 } }
    })
    let local = LocalResponder("local") { _, context in
      context.tag % 40 == 0 ? HTTPResponse(status: 204) : nil
    }
    let agent = RequestAgent(
      transport: transport, hooks: [TagHooks(), local], accessories: [ledger, reader],
      configuration: try Self.configuration(server.agentClock))
    await Self.run(agent, ledger, server: server)
    await until { agent.liveCount == 0 }

    var (words, begun) = ([String: Int](), 0)
    for tag in 0..<Self.total {
      let events = ledger.events(of: tag)
      #expect(events.starts == 1 && events.stops == 1 && events.ends == 1 && events.completions == 1)
      #expect(events.attemptStarts == events.attemptStops)
      words[events.outcome, default: 0] += 1
      if events.attemptStarts > 0 { begun += 1 }
    }
    #expect(Set(words.keys).isSuperset(of: ["success", "cancelled", "failure drained"]), "\(words)")
    let sent = transport.sent
    let extra = sent.values.reduce(0) { $0 + $1 - 1 }
    #expect(extra > 0 && Double(extra) <= 0.1 * Double(begun), "\(extra) of \(begun)")
    #expect(
      sent.keys.allSatisfy { path in Int(path.dropFirst("/items/".count)).map { $0 % 40 != 0 } == true })
    #expect(transport.complete == sent.values.reduce(0, +) && mismatches.withLock { $0 } == 0)
    #expect(agent.runningCount == 0 && agent.waitingCount == 0 && agent.inFlight.waiterCount == 0)
    #expect(server.pendingCount == 0 && server.clock.pendingDeadlines.isEmpty)
    Figures.print(
      "storm of \(Self.total): \(words.sorted { $0.key < $1.key }), \(extra) further of \(sent.count) sent")
  }
}
