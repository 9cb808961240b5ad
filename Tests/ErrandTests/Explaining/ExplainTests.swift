import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Explaining a request", .timeLimit(.minutes(5)))
struct ExplainTests {
  struct GetUser: Request {
    typealias Response = String
    var seen = Recorder()
    var path: String { "users/7" }
    var headers: HTTPHeaders { ["X-House": "1", "X-Call": "request"] }
    var query: Parameters { ["page": 2] }
    var retryPolicy: RetryPolicy { .upTo(2, within: .seconds(9)) }
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      seen.add("filterRequest \(context.attempt)")
      request.headers["X-Own"] = "own"
    }
    func preprocess(_ outcome: Outcome<String>, context: RequestContext) async { seen.add("preprocess") }
    func completed(_ outcome: Outcome<String>, context: RequestContext) async { seen.add("completed") }
  }

  struct SignIn: RequestHooks {
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      request.headers["Authorization"] = "Bearer s3cret"
      request.headers["X-House"] = "changed"
    }
  }

  static func agent(
    _ transport: some Transport, hooks: [any RequestHooks] = [SignIn()], accessories: [any Accessory] = []
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.headers = ["X-Agent": "1", "X-Call": "agent"]
    configuration.acceptLanguage = nil
    configuration.userAgent = "Test"
    configuration.redirectPolicy = .follow(upTo: 3)
    return RequestAgent(
      baseURL: "https://api.example.com/v1?key=s3cret", transport: transport, hooks: hooks,
      accessories: accessories, configuration: configuration)
  }

  @Test("An explanation is the request that a dispatch sends, and nothing is sent, reported or left behind")
  func unsent() async throws {
    let (transport, recorder) = (FunctionTransport(), Recorder())
    let agent = Self.agent(transport, accessories: [RecordingAccessory(recorder: recorder)])
    let request = GetUser()
    let explained = try await agent.explain(request).request
    #expect(transport.requests.isEmpty && recorder.events.isEmpty && agent.liveCount == 0)
    #expect(request.seen.events == ["filterRequest 1"])

    _ = try await agent.send(request)
    let sent = try #require(transport.requests.first)
    #expect(sent.url == explained.url && sent.method == explained.method && sent.headers == explained.headers)
    #expect(sent.body.data == explained.body.data)
  }

  private struct Waiting: Authenticator {
    let clock: TestClock

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      try await context.cancellation.cancelling { [clock] in try await clock.sleep(for: .seconds(3_600)) }
    }
  }

  @Test(
    "The deadline and the attempt timeout end an authenticator that waits",
    arguments: [(5, 9, RequestError.Kind.deadlineExceeded), (9, 5, .timedOut)])
  func limits(_ row: (deadline: Int, attempt: Int, kind: RequestError.Kind)) async throws {
    let clock = TestClock()
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.authenticator = Waiting(clock: clock)
    configuration.limits.attemptTimeout = .seconds(row.attempt)
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: FunctionTransport(), configuration: configuration)
    let explaining = Task {
      try await agent.explain(OneOffRequest.get("x").with(\.deadline, .seconds(row.deadline)))
    }
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(5))
    let error = try await #require(throws: RequestError.self) { try await explaining.value }
    #expect(error.kind == row.kind && error.stage == .authenticate && error.elapsed == .seconds(5))
    #expect(agent.liveCount == 0)
    while clock.sleeperCount > 0 { await Task.yield() }
  }

  @Test("A printed explanation shows the source of each part, with redacted secrets")
  func printed() async throws {
    let request = GetUser().with(\.headers, ["X-Call": "call"]).with(\.timeout, .milliseconds(500))
    let explanation = try await Self.agent(FunctionTransport()).explain(request)
    #expect(
      explanation.description == #"""
        GET https://api.example.com/v1/users/7?key=<redacted>&page=2
          X-Agent: 1                        (agent)
          X-House: changed                  (hook SignIn)
          X-Call: call                      (call)
          User-Agent: Test                  (agent)
          X-Own: own                        (hook filterRequest)
          Authorization: Bearer <redacted>  (hook SignIn)
        body: none
        base: https://api.example.com/v1?key=<redacted>  (agent)
        timeout: 0.5 s                                   (call)
        deadline: none                                   (default)
        retry: at most 2 more within 9 s                 (request)
        redirects: at most 3                             (agent)
        limits: the standard ones                        (default)
        mock: never                                      (default)
        authentication: none                             (default)
        curl 'https://api.example.com/v1/users/7?key=<redacted>&page=2' \
          --header 'X-Agent: 1' \
          --header 'X-House: changed' \
          --header 'X-Call: call' \
          --header 'User-Agent: Test' \
          --header 'X-Own: own' \
          --header 'Authorization: Bearer <redacted>' \
          --header 'Accept:'
        """#)
    var dumped = ""
    dump(explanation, to: &dumped)
    #expect(!dumped.contains("s3cret") && !String(reflecting: explanation).contains("s3cret"))
  }

  @Test("Unused properties are at the end, by names and types and never by value")
  func unused() async throws {
    struct Careless: Request {
      typealias Response = String
      typealias HeadersMember = HTTPHeaders
      let headers = ["Authorization": "Bearer s3cret"]
      let timeOut = 5
    }
    let clauses = [
      "`headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders",
      "`timeOut` is not a member of `Request`; `Request.timeout` is Duration",
    ]
    for request: any Request in [Careless(), Careless().with(\.comment, "a")] as [any Request] {
      let explanation = try await Self.agent(FunctionTransport()).explain(request)
      #expect(explanation.unusedProperties == clauses)
      #expect(explanation.description.hasSuffix("\nnot used: \(clauses[0])\nnot used: \(clauses[1])"))
      #expect(!explanation.description.contains("s3cret"))
    }
    #expect(try await Self.agent(FunctionTransport()).explain(GetUser()).unusedProperties == [])
  }

  @Test("A request that sets everything is the source of everything")
  func everything() async throws {
    struct Loud: Request {
      typealias Response = Void
      var baseURL: URL? { URL(string: "https://own.example.com") }
      var method: HTTPMethod { .post }
      var body: RequestBody { .json(["id": 7]) }
      var timeout: Duration { .seconds(5) }
      var deadline: Duration? { .seconds(20) }
      var redirectPolicy: RedirectPolicy { .none }
      var mockPolicy: MockPolicy { .whenFailed }
      var limits: TransferLimits? {
        var limits = TransferLimits()
        limits.headSize = nil
        limits.bodySize = 1_000
        limits.minimumThroughput = .init(bytes: 10)
        limits.attemptTimeout = .seconds(3)
        return limits
      }
    }
    let explanation = try await Self.agent(FunctionTransport()).explain(Loud())
    #expect(explanation.request.body.data == Data(#"{"id":7}"#.utf8))
    #expect(
      explanation.settings.map { "\($0.name): \($0.value) (\($0.source))" } == [
        "base: https://own.example.com (request)", "timeout: 5 s (request)", "deadline: 20 s (request)",
        "retry: none (default)", "redirects: not followed (request)",
        "limits: headSize off, bodySize 1000, minimumThroughput 10 per 10 s, attemptTimeout 3 s (request)",
        "mock: when failed with 404, not allowed by the agent (request)",
        "authentication: none (default)",
      ])
  }

  @Test("Waiting and sharing are shown if different from the default")
  func queueing() async throws {
    struct Quiet: Request {
      typealias Response = Void
      let path = "quiet"
      let networkAccess = NetworkAccess.cellular
      let priority = RequestPriority.low
      let limitKey: String? = "tenant 7"
      let isSerial = true
      let coalescing = CoalescingPolicy.whileInFlight(ignoring: "X-Trace")
    }
    func told(_ request: some Request) async throws -> [String] {
      let capabilities = TransportCapabilities(choosesNetworks: true)
      return try await Self.agent(FunctionTransport(capabilities: capabilities)).explain(request).settings
        .dropFirst(8).map { "\($0.name): \($0.value) (\($0.source))" }
    }
    #expect(
      try await told(Quiet()) == [
        "networks: not expensive, not constrained (request)",
        "priority: low (request)", "limit key: tenant 7 (request)", "serial: one at a time (request)",
        "coalescing: while in flight, ignoring x-trace (request)",
      ])
    #expect(
      try await told(
        Quiet().with(\.priority, RequestPriority(2.5)).with(\.isSerial, false).with(\.coalescing, .none)
          .with(\.networkAccess, .all).with(\.limitKey, nil)) == ["priority: 2.5 (call)"])
    #expect(
      try await told(
        Quiet().with(\.priority, .default).with(\.isSerial, false).with(\.coalescing, .none)
          .with(\.networkAccess, .constrained).with(\.limitKey, nil))
        == ["networks: not cellular, not expensive (call)"])
  }

  @Test("The source of the base URL is shown")
  func bases() async throws {
    struct CDN: Request {
      typealias Response = Void
      var usesCDN: Bool { true }
      var cdnURL: URL? { URL(string: "https://cdn.example.com") }
    }
    let agent = Self.agent(FunctionTransport())
    let whole = try await agent.explain(.get("https://other.example.com/x"))
    #expect(
      whole.settings.first?.value == "none, the path is a URL" && whole.settings.first?.source == .request)
    let cdn = try await agent.explain(CDN()).settings.first
    #expect(cdn?.name == "CDN base" && cdn?.value == "https://cdn.example.com" && cdn?.source == .request)
    let called = try await agent.explain(.get("x").with(\.baseURL, URL(string: "https://call.example.com")!))
    #expect(called.settings.first?.source == .call)
  }

  @Test("Failures before sending are the same as in a dispatch, with the same texts")
  func failures() async throws {
    struct Failing: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        throw ProbeError(stage: "sign in")
      }
    }
    let agent = Self.agent(FunctionTransport(), hooks: [Failing()])
    for request in [OneOffRequest<Void>.get("ftp://x"), .get("x")] {
      let explained = try await #require(throws: RequestError.self) { try await agent.explain(request) }
      let sent = try await #require(throws: RequestError.self) { try await agent.send(request) }
      #expect(explained.reason == sent.reason && explained.stage == sent.stage && explained.kind == sent.kind)
    }
    #expect(agent.liveCount == 0)
  }

  @Test(
    "Cancelled with its task, explain throws CancellationError, and cancelled by the agent, an error that says so"
  )
  func cancelled() async throws {
    struct Cancelling: RequestHooks {
      let cancel: @Sendable (RequestContext) -> Void
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        cancel(context)
      }
    }
    let agents = Locked<RequestAgent?>(nil)
    let agent = Self.agent(
      FunctionTransport(), hooks: [Cancelling { _ in agents.withLock { $0 }?.cancelAll() }])
    agents.withLock { $0 = agent }
    let error = try await #require(throws: RequestError.self) { try await agent.explain(.get("x")) }
    #expect(error.reason == "the agent cancelled all its requests" && error.stage == .filterRequest)
    agents.withLock { $0 = nil }

    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await agent.explain(.get("x"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("Secrets added before a failure are redacted in its error, as in a dispatch")
  func hiddenInFailures() async throws {
    struct Failing: RequestHooks, Authenticator {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        throw ProbeError(stage: "sign in with s3cret-token-1")
      }
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        request.headers["Authorization"] = "Bearer s3cret-token-1"
        throw ProbeError(stage: "sign in with s3cret-token-1")
      }
      func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool { false }
    }
    struct SignIn: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        request.headers["Authorization"] = "Bearer s3cret-token-1"
      }
    }
    var configuration = AgentConfiguration()
    configuration.authenticator = Failing()
    let agents = [
      Self.agent(FunctionTransport(), hooks: [SignIn(), Failing()]),
      RequestAgent(baseURL: "https://a", transport: FunctionTransport(), configuration: configuration),
    ]
    for agent in agents {
      let explained = try await #require(throws: RequestError.self) { try await agent.explain(.get("x")) }
      let sent = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
      #expect(explained.description.contains("<redacted>") && !explained.description.contains("s3cret"))
      #expect(explained.reason == sent.reason && explained.request?.headers == sent.request?.headers)
    }
  }
}
