import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Retries during an outage")
struct RetryStormTests {
  struct Fetch: Request {
    typealias Response = Void
    let retryPolicy = RetryPolicy.upTo(3, backoff: .constant())
  }

  @Test("Against a server that fails half of 1,000 requests a second, retries stay within a fifth")
  func virtual() async throws {
    let clock = TestClock(autoAdvances: true)
    let random = Locked(SeededGenerator(seed: 6))
    let sent = Locked([Duration]())
    let transport = FunctionTransport { _, _ in
      sent.withLock { $0.append(clock.now.offset) }
      return HTTPResponse(status: random.withLock { $0.below(2) } == 0 ? 503 : 200)
    }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)

    let (seconds, rate) = (11, 1000)
    var (overBudget, failures) = (0, 0)
    for _ in 0..<seconds * rate {
      do {
        try await agent.send(Fetch())
      } catch let error as RequestError {
        failures += 1
        if error.isOverRetryBudget { overBudget += 1 }
      }
      try await clock.sleep(for: .milliseconds(1))
    }

    // Without the budget, there would be 0.5 + 0.25 + 0.125 retries per request.
    let extra = sent.withLock { $0.count } - seconds * rate
    #expect(extra <= seconds * rate / 5 + 10 * seconds + 100)
    #expect(extra > seconds * rate / 6)
    #expect(overBudget > seconds * rate / 4 && overBudget <= failures)
    // The same bound holds in every window of ten seconds.
    for start in 0...(seconds - 10) {
      let span = Duration.seconds(start)..<(.seconds(start + 10))
      let inSpan = sent.withLock { $0.count { span.contains($0) } }
      #expect(inSpan <= 10 * rate + 10 * rate / 5 + 100)
    }
  }

  #if os(Linux)
  @Test("The same limit holds over real sockets with concurrent requests", .timeLimit(.minutes(5)))
  func loopback() async throws {
    let server = try MockServer()
    let count = Locked(0)
    server.route(.get, "/**") { _ in
      .status(
        count.withLock { count in
          count += 1
          return count % 2 == 0 ? 200 : 503
        })
    }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock())
    let agent = RequestAgent(
      baseURL: server.baseURL, transport: CurlTransport(), configuration: configuration)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          for number in 0..<25 { _ = try? await agent.send(Fetch().with(\.path, "\(worker)/\(number)")) }
        }
      }
    }
    let extra = server.requests.count - 400
    #expect(extra > 100 && extra <= 400 / 5 + 100)
  }
  #endif
}
