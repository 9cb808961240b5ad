import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("Work outside and inside of a passed deadline", .timeLimit(.minutes(5)))
struct DeadlineBoundTests {
  private static let clock = AgentClock(TestClock())

  private struct Noting: RequestHooks {
    let recorder: Recorder
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      recorder.add("hook: \(DeadlineBoundTests.remaining)")
    }
  }

  private struct Signing: Authenticator {
    let recorder: Recorder
    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      recorder.add("authenticator: \(DeadlineBoundTests.remaining)")
    }
  }

  /// The remaining time of the deadline around the task.
  private static var remaining: String {
    AmbientDeadline.current.map { $0.remaining.secondsText } ?? "none"
  }

  /// Each transfer adds the field and the remaining time to the recorder.
  private static func agent(
    _ recorder: Recorder, headers: HTTPHeaders = [:], accessories: [any Accessory] = [],
    _ change: (inout AgentConfiguration) -> Void = { _ in }
  ) -> RequestAgent {
    var configuration = AgentConfiguration(deadline: .seconds(5))
    configuration.clock = clock
    configuration.deadlinePropagation = DeadlinePropagation(header: .milliseconds("T"))
    change(&configuration)
    let transport = FunctionTransport { request, _ in
      recorder.add("\(request.headers["T"] ?? "no field"), \(remaining)")
      return HTTPResponse(headers: headers, body: Data("x".utf8))
    }
    return RequestAgent(
      baseURL: "https://api.example.com", transport: transport, accessories: accessories,
      configuration: configuration)
  }

  @Test("A shared transfer runs outside of the deadline of the dispatch that started the transfer")
  func shared() async throws {
    let recorder = Recorder()
    let agent = Self.agent(recorder)
    try await agent.send(.get("x"))
    try await agent.send(.get("x").with(\.coalescing, .whileInFlight))
    #expect(recorder.events == ["5000, 5 s", "5000, none"])
  }

  @Test("The refresh of a cached response has no deadline and no field of the agent")
  func refresh() async throws {
    let recorder = Recorder()
    let agent = Self.agent(
      recorder, headers: ["Cache-Control": "max-age=0, stale-while-revalidate=60"]
    ) { $0.cache = MemoryCache() }
    for _ in 0..<2 {
      _ = try await agent.send(.get("x", as: String.self))
      await agent.cacheRefreshes.wait()
    }
    #expect(recorder.events == ["5000, 5 s", "no field, none"])
  }

  @Test("The refresh of a cached response keeps the field of the request")
  func ownField() async throws {
    let recorder = Recorder()
    let agent = Self.agent(
      recorder, headers: ["Cache-Control": "max-age=0, stale-while-revalidate=60"]
    ) { $0.cache = MemoryCache() }
    for _ in 0..<2 {
      _ = try await agent.send(.get("x", headers: ["T": "7"], as: String.self))
      await agent.cacheRefreshes.wait()
    }
    #expect(recorder.events == ["7, 5 s", "7, none"])
  }

  #if os(Linux)
  @Test("A name lookup runs outside of the deadline of the dispatch that started the lookup")
  func lookup() async throws {
    let recorder = Recorder()
    let lookup = NameLookup(lifetime: .seconds(30)) { _ in
      recorder.add(Self.remaining)
      return ["127.0.0.1"]
    }
    let url = try #require(URL(string: "http://a.example"))
    let found = try await AmbientDeadline.$current.withValue(
      AmbientDeadline(after: .seconds(1), on: Self.clock)
    ) {
      try await CurlLookups().addresses(
        of: "a.example", by: lookup, for: TransportRequest(HTTPRequest(url: url)))
    }
    #expect(found == ["127.0.0.1"] && recorder.events == ["none"])
  }
  #endif

  @Test("The request of a background transfer has no field, and a plain explanation has the field")
  func background() async throws {
    let agent = Self.agent(Recorder())
    #expect(try await agent.explain(.get("x"), isSent: true).request.headers["T"] == nil)
    #expect(try await agent.explain(.get("x")).request.headers["T"] == "5000")
  }

  @Test("Hooks and the authenticator of an explanation run in the deadline of the dispatch")
  func explained() async throws {
    let recorder = Recorder()
    var configuration = AgentConfiguration(deadline: .seconds(5))
    configuration.clock = Self.clock
    configuration.deadlinePropagation = DeadlinePropagation()
    configuration.authenticator = Signing(recorder: recorder)
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: FunctionTransport(), hooks: [Noting(recorder: recorder)],
      configuration: configuration)
    _ = try await agent.explain(.get("x"))
    try await DeadlinePropagation.withDeadline(.seconds(2), clock: Self.clock) {
      _ = try await agent.explain(.get("x"))
    }
    #expect(recorder.events == ["hook: 5 s", "authenticator: 5 s", "hook: 2 s", "authenticator: 2 s"])
  }

  @Test("After the body of a stream, accessories see the deadline of the dispatch, not of the reader")
  func stream() async throws {
    let recorder = Recorder()
    let accessory = EventAccessory(attemptStopped: { _, _ in recorder.add("stopped: \(Self.remaining)") })
    let stream = try await Self.agent(recorder, accessories: [accessory]).stream(.get("x"))
    try await DeadlinePropagation.withDeadline(.seconds(1), clock: Self.clock) {
      for try await _ in stream.body {}
    }
    #expect(recorder.events == ["5000, 5 s", "stopped: 5 s"])
  }

  @Test("A digit with a combining accent, and text after a space, are no time")
  func malformed() {
    for text in ["5\u{301}", "420 junk", "420 7", "4\u{FE0F}\u{20E3}"] {
      #expect(DeadlinePropagation.Header.milliseconds("T").remainingTime(in: ["T": text]) == nil)
      #expect(DeadlinePropagation.Header.grpc.remainingTime(in: ["grpc-timeout": text + "m"]) == nil)
    }
    for text in ["1.5\u{301}", "1.0005\u{301}", "1\u{301}.5", "1.5 junk"] {
      #expect(DeadlinePropagation.Header.seconds("T").remainingTime(in: ["T": text]) == nil)
    }
    let padded = DeadlinePropagation.Header.seconds("T").remainingTime(in: ["T": "\t 1.5 \t"])
    #expect(padded == .milliseconds(1_500))
  }
}
