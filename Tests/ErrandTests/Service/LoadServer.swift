import ErrandMocks
import Foundation

@testable import Errand

/// A server on a virtual clock.
final class LoadServer: Transport {
  struct Answer: Sendable {
    var time: Duration
    /// `nil`: the connection is lost.
    var status: HTTPResponse.Status?

    init(after time: Duration, status: HTTPResponse.Status? = 200) {
      (self.time, self.status) = (time, status)
    }
  }

  private struct State {
    var sent = 0
    /// The paths of the unanswered requests.
    var pending: [Int: String] = [:]
  }

  let clock = TestClock()
  let capabilities = TransportCapabilities()
  let agentClock: AgentClock
  private let answer: @Sendable (_ number: Int, _ now: Duration) -> Answer
  private let state = Locked(State())

  /// - Parameter answer: gets the number of the request, from 1.
  init(_ answer: @escaping @Sendable (_ number: Int, _ now: Duration) -> Answer) {
    agentClock = AgentClock(clock)
    self.answer = answer
  }

  /// A server with workers and an endless queue; `period` returns the workers and the service time.
  static func queueing(
    _ period: @escaping @Sendable (_ now: Duration) -> (workers: Int, service: Duration)
  ) -> LoadServer {
    let free = Locked([Duration](repeating: .zero, count: period(.zero).workers))
    return LoadServer { _, now in
      let (workers, service) = period(now)
      return free.withLock { free in
        free.sort()
        while free.count > workers { free.removeFirst() }
        while free.count < workers { free.insert(now, at: 0) }
        let end = max(free[0], now) + service
        free[0] = end
        return Answer(after: end - now)
      }
    }
  }

  var sent: Int { state.withLock { $0.sent } }
  var pendingCount: Int { state.withLock { $0.pending.count } }
  /// The number of paths with an unanswered request.
  var pendingPaths: Int { state.withLock { Set($0.pending.values).count } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let now = agentClock.now()
    let end = OneTime<Bool>()
    let number = state.withLock { state in
      state.sent += 1
      return state.sent
    }
    let answer = answer(number, now)
    let timer = agentClock.call(now + answer.time) { self.end(number, end, isAnswered: true) }
    // After the timer, because a test advances the clock when all requests are pending.
    state.withLock { $0.pending[number] = request.request.url.path }
    let handler = request.cancellation.onCancel { self.end(number, end, isAnswered: false) }
    let isAnswered = await Task { try? await end.wait() }.value ?? false
    timer.cancel()
    request.cancellation.removeHandler(handler)
    guard isAnswered else { throw TransportError.cancelled }
    guard let status = answer.status else { throw TransportError(.connectionLost, "the connection was lost") }
    return TransportResponse(head: HTTPResponse(status: status), body: BodyStream(Data()))
  }

  private func end(_ number: Int, _ end: OneTime<Bool>, isAnswered: Bool) {
    let isPending = state.withLock { $0.pending.removeValue(forKey: number) } != nil
    if isPending { end.set(isAnswered) }
  }
}

struct GetItem: Request {
  typealias Response = Void
  let number: Int
  var path: String { "items/\(number)" }
}

/// Clients that send a request after the other, until the total is sent.
struct LoadRun {
  struct Result {
    var latencies: [Duration] = []
    var reports: [ExchangeReport] = []
    var elapsed = Duration.zero
    var errors: [RequestError] = []

    func percentile(_ share: Double) -> Duration {
      latencies.sorted()[max(Int((share * Double(latencies.count)).rounded(.up)) - 1, 0)]
    }
  }

  let server: LoadServer
  let agent: RequestAgent
  let clients: Int
  let total: Int

  func result() async -> Result {
    let (started, result, running) = (Locked(0), Locked(Result()), Locked(clients))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<clients {
        group.addTask {
          while let number = next(started) { await send(GetItem(number: number), into: result) }
          running.withLock { $0 -= 1 }
        }
      }
      await advance { running.withLock { $0 } }
    }
    return result.withLock { $0 }
  }

  private func next(_ started: Locked<Int>) -> Int? {
    started.withLock { started in
      started += 1
      return started <= total ? started : nil
    }
  }

  private func send(_ request: GetItem, into result: Locked<Result>) async {
    let start = server.agentClock.now()
    do {
      let report = try await agent.response(for: request).report
      let now = server.agentClock.now()
      result.withLock { result in
        result.latencies.append(now - start)
        result.reports.append(report)
        result.elapsed = max(result.elapsed, now)
      }
    } catch {
      let now = server.agentClock.now()
      result.withLock { result in
        result.errors += [error as? RequestError].compactMap(\.self)
        result.elapsed = max(result.elapsed, now)
      }
    }
  }

  /// Advances the clock whenever every client waits for a slot or for the server.
  private func advance(running: () -> Int) async {
    while true {
      await until { running() == 0 || isQuiet(running()) }
      guard running() > 0 else { return }
      guard let next = server.clock.pendingDeadlines.first else { continue }
      await server.clock.advance(by: server.clock.now.duration(to: next))
    }
  }

  private func isQuiet(_ running: Int) -> Bool {
    let waiting = agent.waitingCount
    return server.pendingPaths + waiting == running && agent.runningCount == server.pendingCount
      && agent.liveCount == running && agent.waitingCount == waiting
  }
}
