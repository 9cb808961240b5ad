import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Cached responses and the state of an origin")
struct CachedOriginTests {
  private let clock = TestClock(autoAdvances: true)
  private let response = Locked(HTTPResponse())
  private let times = Locked([Double]())

  private func agent(_ change: (inout AgentConfiguration) -> Void) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.cache = MemoryCache()
    change(&configuration)
    let transport = FunctionTransport { [clock, response, times] _, _ in
      times.withLock { $0.append(clock.now.offset / .seconds(1)) }
      return response.withLock { $0 }
    }
    return RequestAgent(baseURL: "http://a.example", transport: transport, configuration: configuration)
  }

  private func get(
    _ path: String, _ policy: CachePolicy = .inherited, of agent: RequestAgent
  ) async throws -> String {
    let request = OneOffRequest<Void>.get(path).with(\.cachePolicy, policy)
    do {
      return try await agent.response(for: request).report.cache?.source.rawValue ?? "uncached"
    } catch let error as RequestError {
      return "\(error.kind)"
    }
  }

  @Test("A 503 that a stored response replaces counts neither as a success nor as a failure of the origin")
  func circuit() async throws {
    let agent = agent { $0.circuitBreaker = CircuitBreaker(failureRate: 0.9, minimumRequests: 2) }
    func sources(_ policy: CachePolicy, _ count: Int) async throws -> [String] {
      var sources: [String] = []
      for _ in 0..<count { sources.append(try await get("a", policy, of: agent)) }
      return sources
    }
    #expect(try await sources(.networkElseCache, 1) == ["network"])
    // The first success leaves the window.
    try await clock.sleep(for: .seconds(60))
    response.withLock { $0.status = 503 }
    #expect(try await sources(.networkElseCache, 10) == Array(repeating: "stale", count: 10))
    #expect(try await sources(.none, 3) == ["status", "status", "circuitOpen"])
  }

  @Test("The Retry-After of a 503 that a stored response replaces delays the next request")
  func retryAfter() async throws {
    let agent = agent { $0.rateLimit = RateLimit(100, per: .seconds(1)) }
    #expect(try await get("a", .networkElseCache, of: agent) == "network")
    response.withLock { $0 = HTTPResponse(status: 503, headers: ["Retry-After": "60"]) }
    #expect(try await get("a", .networkElseCache, of: agent) == "stale")
    response.withLock { $0 = HTTPResponse() }
    #expect(try await get("b", of: agent) == "network")
    #expect(times.withLock { $0 } == [0, 0, 60])
  }

  @Test("The quota of a stored response delays no request")
  func quota() async throws {
    let agent = agent { $0.rateLimit = RateLimit(100, per: .seconds(1)) }
    response.withLock {
      $0.headers = ["Cache-Control": "max-age=600", "ETag": "\"v\"", "RateLimit": "\"default\";r=0;t=30"]
    }
    #expect(try await get("a", of: agent) == "network")
    try await clock.sleep(for: .seconds(31))
    #expect(try await get("a", of: agent) == "cache")
    response.withLock { $0 = HTTPResponse(status: 304, headers: ["ETag": "\"v\""]) }
    #expect(try await get("a", .networkElseCache, of: agent) == "revalidated")
    response.withLock { $0 = HTTPResponse() }
    #expect(try await get("b", of: agent) == "network")
    #expect(times.withLock { $0 } == [0, 31, 31])
  }

  @Test("A replaced failure takes a token of the rate limit, and an attempt without a request takes no token")
  func tokens() async throws {
    let agent = agent { $0.rateLimit = RateLimit(1, per: .seconds(30)) }
    response.withLock { $0.headers = ["Cache-Control": "max-age=600"] }
    #expect(try await get("a", of: agent) == "network")
    response.withLock { $0 = HTTPResponse(status: 503) }
    #expect(try await get("a", .networkElseCache, of: agent) == "stale")
    for _ in 0..<3 { #expect(try await get("a", of: agent) == "cache") }
    response.withLock { $0 = HTTPResponse() }
    #expect(try await get("b", of: agent) == "network")
    #expect(times.withLock { $0 } == [0, 30, 60])
  }
}
