import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Stored responses that an attempt cannot use", .timeLimit(.minutes(5)))
struct RejectedCopyTests {
  /// Two more attempts, each after two seconds.
  private struct Repeated: Request {
    typealias Response = String
    let clock: TestClock
    let path = "a"

    func retryDecision(
      for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
    ) async -> RetryPolicy.Decision {
      await clock.advance(by: .seconds(2))
      return context.attempt < 3 ? .retry : .stop
    }
  }

  @Test("A rejected response is not revalidated for the next attempt")
  func revalidation() async throws {
    let bench = CacheBench { request in
      guard request.number > 1 else {
        return .text("missing", status: 404).header("ETag", "\"a\"").header("Cache-Control", "no-cache")
      }
      return request.headers.contains("If-None-Match")
        ? .status(304).header("ETag", "\"a\"") : .text("there").header("Cache-Control", "no-store")
    }
    let received = try await bench.agent.response(for: Repeated(clock: bench.clock))
    #expect(received.value == "there")
    #expect(bench.transport.requests.map { $0.headers["If-None-Match"] } == [nil, nil])
    #expect(
      received.report.attempts.map { $0.cache?.description } == [
        "from the network: nothing is stored; stored",
        "from the network: the stored response was rejected; not stored: no-store",
      ])
  }

  @Test("A rejected response does not replace a failure of a later attempt")
  func fallback() async throws {
    let bench = CacheBench { request in
      switch request.number {
      case 1: .text("missing", status: 404).header("Cache-Control", "max-age=1, stale-if-error=1000")
      case 2: .status(503)
      default: .text("there").header("Cache-Control", "no-store")
      }
    }
    let received = try await bench.agent.response(for: Repeated(clock: bench.clock))
    #expect(received.value == "there")
    #expect(received.report.attempts.map(\.response?.status.code) == [404, 503, 200])
    #expect(received.report.attempts.map(\.cache?.source) == [.network, .network, .network])
  }

  /// Confirms a stored response with 304, and shows another client identity from then on.
  private final class ChangingClient: Transport {
    let capabilities = TransportCapabilities()
    let identity = Locked("ann")
    let count = Locked(0)

    func clientIdentity(for url: URL) -> String? { identity.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      count.withLock { $0 += 1 }
      let isKnown = request.request.headers.contains("If-None-Match")
      if isKnown { identity.withLock { $0 = "bob" } }
      let head = HTTPResponse(
        status: isKnown ? 304 : 200, headers: ["ETag": "\"a\"", "Cache-Control": "max-age=10"])
      return TransportResponse(head: head, body: BodyStream(Data()))
    }
  }

  @Test("A client identity that changes during a 304 is the reason for another request")
  func changedClient() async throws {
    let (clock, transport) = (TestClock(), ChangingClient())
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    configuration.clock = AgentClock(clock)
    let agent = RequestAgent(baseURL: "https://api.test", transport: transport, configuration: configuration)
    try await agent.send(.get("a"))
    await clock.advance(by: .seconds(11))
    let report = try await agent.response(for: .get("a")).report
    let change = "the client identity of the transport has changed"
    #expect(report.cache?.description == "from the network: \(change); not stored: \(change)")
    #expect(transport.count.withLock { $0 } == 3)
    // The stored response stays valid for the earlier identity.
    #expect(try await agent.cache.response(for: .get("a")) == nil)
    transport.identity.withLock { $0 = "ann" }
    #expect(try await agent.cache.response(for: .get("a")) != nil)
  }
}
