import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandApps

/// Accessories observe requests to the transport, and no cache hits.
@Suite("Events of cached responses", .timeLimit(.minutes(5)))
struct CacheTellingTests {
  private let recorder = Recorder()

  /// Status 304 for conditional requests.
  private func agent(_ control: String, policy: CachePolicy = .standard, _ more: [any Accessory] = [])
    -> RequestAgent
  {
    let recorder = recorder
    let transport = FunctionTransport { request, _ in
      recorder.add("transport")
      return request.headers.contains("If-None-Match")
        ? HTTPResponse(status: 304, headers: ["ETag": "\"v\"", "Cache-Control": control])
        : HTTPResponse(headers: ["ETag": "\"v\"", "Cache-Control": control], body: Data("x".utf8))
    }
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    configuration.cachePolicy = policy
    let willSend = EventAccessory(willSend: { request, _ in
      recorder.add("willSend \(request.headers["If-None-Match"] ?? "-")")
    })
    return RequestAgent(
      baseURL: "https://api.test", transport: transport, accessories: [willSend] + more,
      configuration: configuration)
  }

  @Test("A miss is reported, a hit is not, and a revalidation is reported with its conditions")
  func events() async throws {
    let fresh = agent("max-age=1000")
    for _ in 0..<2 { _ = try await fresh.send(.get("a", as: String.self)) }
    #expect(recorder.events == ["willSend -", "transport"])
    let stale = agent("no-cache")
    for _ in 0..<2 { _ = try await stale.send(.get("a", as: String.self)) }
    #expect(recorder.events.dropFirst(2) == ["willSend -", "transport", "willSend \"v\"", "transport"])
  }

  @Test("A cache-only miss reports nothing, for a GET, a POST and a download")
  func cacheOnly() async throws {
    let agent = agent("max-age=1000", policy: .cacheOnly)
    let events = agent.events
    let directory = TemporaryDirectory()
    await #expect(throws: RequestError.self) { try await agent.send(.get("a")) }
    await #expect(throws: RequestError.self) { try await agent.send(.post("a")) }
    await #expect(throws: RequestError.self) {
      try await agent.download(.get("a"), to: directory.url.appendingPathComponent("f"))
    }
    #expect(recorder.events == [])
    var heard: [String] = []
    for await event in events {
      heard.append("\(event)")
      if heard.count == 6 { break }
    }
    #expect(heard == ["1: started", "1: stopped", "2: started", "2: stopped", "3: started", "3: stopped"])
  }

  @Test("An activity, a background task and the agent's events stay off for a hit, and are balanced")
  func balanced() async throws {
    let application = SubstituteApplication()
    let recorder = recorder
    let agent = agent(
      "max-age=1000",
      [.activity { recorder.add($0 ? "on" : "off") }, application.accessory()])
    let events = agent.events
    for _ in 0..<3 { _ = try await agent.send(.get("a", as: String.self)) }
    #expect(recorder.events == ["willSend -", "on", "transport", "off"])
    #expect(application.events == ["begin Errand api.test", "end 1"])
    var heard: [String] = []
    for await event in events {
      heard.append("\(event)")
      if event.report?.id == 3 { break }
    }
    #expect(
      heard == [
        "1: started", "activity began", "1: attempt 1 started", "1: attempt 1 stopped", "activity ended",
        "1: stopped", "2: started", "2: stopped", "3: started", "3: stopped",
      ])
  }

  @Test("A download that bypasses the cache, and a shared transfer, are reported")
  func sent() async throws {
    let agent = agent("max-age=1000")
    let directory = TemporaryDirectory()
    _ = try await agent.download(.get("a"), to: directory.url.appendingPathComponent("f"))
    _ = try await agent.send(.get("b", as: String.self).with(\.coalescing, .whileInFlight))
    #expect(recorder.events == ["willSend -", "transport", "willSend -", "transport"])
  }

  @Test("A dispatch that an accessory cancels at a cache event is not sent")
  func cancelled() async throws {
    let handle = agent("max-age=1000").start(.get("a"), suspended: true)
    recorder.on("willSend -") { handle.cancel() }
    handle.resume()
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(handle.state == .cancelled && !recorder.events.contains("transport"))
  }
}
