import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("Several bases", .timeLimit(.minutes(5)))
struct FailoverTests {
  let clock = TestClock(autoAdvances: true)
  /// The hosts that fail.
  let down = Locked<Set<String>>([])

  static func base(_ name: String) throws -> URL { try #require(URL(string: "https://\(name).example/v1")) }

  private func failover(
    _ names: [String] = ["a", "b"], order: Failover.Order = .first, rest: Duration = .seconds(30),
    maximumFailures: Int = 1
  ) throws -> Failover {
    Failover(try names.map(Self.base), order: order, restTime: rest, maximumFailures: maximumFailures)
  }

  private func agent(
    _ failover: Failover, retries: Int = 0, baseURL: String? = nil, accessories: [any Accessory] = [],
    _ change: (inout AgentConfiguration) -> Void = { _ in },
    answer: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse = { _ in HTTPResponse() }
  ) -> (RequestAgent, FunctionTransport) {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { 0 }
    configuration.retryPolicy = .upTo(retries, backoff: .constant(.seconds(4)))
    configuration.failover = failover
    change(&configuration)
    let transport = FunctionTransport { [down] request, _ in
      let name = request.url.host ?? ""
      if down.withLock({ $0.contains(name) }) { throw TransportError(.connectionFailed, "\(name) is down") }
      return try answer(request)
    }
    return (
      RequestAgent(
        baseURL: baseURL.flatMap { URL(string: $0) }, transport: transport, accessories: accessories,
        configuration: configuration), transport
    )
  }

  private func setDown(_ names: String...) { down.withLock { $0 = Set(names.map { "\($0).example" }) } }

  private func hosts(_ transport: FunctionTransport) -> String {
    transport.requests.compactMap { $0.url.host?.first.map(String.init) }.joined()
  }

  @Test("The first base gets all requests, with its path, in place of the agent's base")
  func first() async throws {
    let (agent, transport) = agent(try failover(), baseURL: "https://ignored.example")
    for _ in 0..<3 { try await agent.send(.get("users")) }
    #expect(Set(transport.requests.map(\.url.absoluteString)) == ["https://a.example/v1/users"])
  }

  @Test("Round robin gives each dispatch the next base")
  func roundRobin() async throws {
    let (agent, transport) = agent(try failover(["a", "b", "c"], order: .roundRobin))
    for _ in 0..<5 { try await agent.send(.get("users")) }
    #expect(hosts(transport) == "abcab")
  }

  @Test("A retry after a failure goes to the other base at once, and the failed base rests")
  func failure() async throws {
    let failover = try failover()
    let (agent, transport) = agent(failover, retries: 1)
    setDown("a")
    let report = try await agent.response(for: .get("users")).report
    #expect(report.attempts.map { $0.retry?.source } == [.failover, nil])
    #expect(report.attempts[0].retry?.wait == .zero && report.elapsed == .zero)
    #expect(report.description.contains("Retry in 0.000 s, at another base."))
    #expect(failover.bases.map(\.isResting) == [true, false])
    try await agent.send(.get("users"))
    #expect(hosts(transport) == "abb")
  }

  @Test("Without a retry policy the dispatch fails, and the next dispatch goes to the other base")
  func noRetry() async throws {
    let (agent, transport) = agent(try failover())
    setDown("a")
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("users")) }
    #expect(error.kind == .connectionFailed && error.attempts == 1)
    try await agent.send(.get("users"))
    #expect(hosts(transport) == "ab")
  }

  @Test("After the rest, a single attempt tries the base; a success ends the rest, a failure begins another")
  func trial() async throws {
    let failover = try failover()
    let (agent, transport) = agent(failover, retries: 1)
    setDown("a")
    try await agent.send(.get("1"))
    try await clock.sleep(for: .seconds(29))
    try await agent.send(.get("2"))
    try await clock.sleep(for: .seconds(1))
    try await agent.send(.get("3"))
    try await agent.send(.get("4"))
    #expect(hosts(transport) == "abbabb")
    setDown()
    try await clock.sleep(for: .seconds(30))
    for _ in 0..<2 { try await agent.send(.get("5")) }
    #expect(hosts(transport) == "abbabbaa")
    #expect(failover.bases.map(\.isResting) == [false, false])
  }

  @Test("While the trial runs, other attempts use other bases")
  func running() async throws {
    let failover = try failover()
    let gate = GateTransport()
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.failover = failover
    let agent = RequestAgent(transport: gate, configuration: configuration)
    let (bad, _) = self.agent(failover)
    setDown("a")
    await #expect(throws: RequestError.self) { try await bad.send(.get("x")) }
    try await clock.sleep(for: .seconds(30))
    let trial = agent.start(.get("1"))
    await gate.waitForStarts(1)
    let other = agent.start(.get("2"))
    await gate.waitForStarts(2)
    // A trial without a result lets the next attempt try the base.
    trial.cancel()
    _ = try? await trial.value
    let next = agent.start(.get("3"))
    await gate.waitForStarts(3)
    gate.open()
    try await other.value
    try await next.value
    #expect(gate.starts == ["a.example/v1/1", "b.example/v1/2", "a.example/v1/3"])
    #expect(failover.bases.map(\.isResting) == [false, false])
  }

  @Test("If all bases rest, the base with the earliest end is used, and a retry waits")
  func allDown() async throws {
    let (agent, transport) = agent(try failover(), retries: 3)
    setDown("a", "b")
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("users")) }
    #expect(error.attempts == 4)
    #expect(
      error.report?.attempts.map { "\($0.retry?.wait.secondsText ?? "") \($0.retry?.source.rawValue ?? "")" }
        == ["0 s failover", "4 s policy", "4 s policy", " "])
    #expect(hosts(transport) == "abab")
  }

  @Test("Statuses 502, 503 and 504 are failures of the base; other failures keep base and wait")
  func statuses() async throws {
    for (status, expected) in [(502, "ab"), (503, "ab"), (504, "ab"), (500, "aa"), (429, "aa"), (404, "a")] {
      let answer: @Sendable (HTTPRequest) -> HTTPResponse = { request in
        HTTPResponse(status: request.url.host == "a.example" ? .init(status) : 200)
      }
      let (agent, transport) = agent(try failover(), retries: 1, answer: answer)
      _ = try? await agent.send(.get("users"))
      #expect(hosts(transport) == expected, "\(status)")
    }
  }

  @Test("A base rests after the given number of failures in a row")
  func several() async throws {
    let (agent, transport) = agent(try failover(maximumFailures: 2))
    setDown("a")
    for _ in 0..<3 { _ = try? await agent.send(.get("x")) }
    #expect(hosts(transport) == "aab")
  }

  @Test("A request with a base, an absolute URL or a custom request is sent there, and changes no health")
  func others() async throws {
    let failover = try failover()
    let (agent, transport) = agent(failover)
    setDown("z", "a")
    let z = try Self.base("z")
    _ = try? await agent.send(.get("x").with(\.baseURL, z))
    _ = try? await agent.send(.get("https://a.example/v1/x"))
    _ = try? await agent.send(.get("data:,x"))
    #expect(hosts(transport) == "za")
    #expect(failover.bases.map(\.isResting) == [false, false])
  }

  @Test("Without bases, the agent's base is used")
  func empty() async throws {
    let (agent, transport) = agent(Failover([]), baseURL: "https://own.example")
    try await agent.send(.get("x"))
    #expect(transport.requests.map(\.url.absoluteString) == ["https://own.example/x"])
  }

  @Test("A base rests by hand until it is resumed")
  func byHand() async throws {
    let failover = try failover()
    let (agent, transport) = agent(failover)
    failover.rest(try Self.base("a"))
    try await clock.sleep(for: .seconds(1_000))
    try await agent.send(.get("x"))
    failover.resume(try Self.base("a"))
    try await agent.send(.get("x"))
    #expect(hosts(transport) == "ba")
  }

  @Test("Every base gets credentials, and a renewal of credentials stays at its base")
  func credentials() async throws {
    let credentials = try #require(BasicCredentials(username: "ada", password: "s3cret"))
    let (agent, transport) = agent(try failover(order: .roundRobin)) {
      $0.authenticator = PasswordAuthenticator(credentials)
      $0.headers = ["X-Key": "k"]
    } answer: { request in
      request.headers["Authorization"] == nil
        ? HTTPResponse(status: 401, headers: ["WWW-Authenticate": #"Basic realm="r""#]) : HTTPResponse()
    }
    for _ in 0..<3 { try await agent.send(.get("x")) }
    #expect(hosts(transport) == "aabba")
    #expect(transport.requests.map { $0.headers["X-Key"] } == ["k", "k", "k", "k", "k"])
  }

  @Test("Pages keep the base of the first page, by cursor and by URL")
  func pages() async throws {
    let answer: @Sendable (HTTPRequest) -> HTTPResponse = { request in
      let query = request.url.query ?? ""
      let items = query.contains("n=3") ? "[]" : "[1]"
      var response = HTTPResponse(body: Data(items.utf8))
      if query.isEmpty || query == "page=2" {
        response.headers = ["Link": "<?page=\(query.isEmpty ? 2 : 3)>; rel=next"]
      }
      return response
    }
    let (agent, transport) = agent(try failover(order: .roundRobin), answer: answer)
    let request = OneOffRequest.get("list", as: [Int].self)
    for try await _ in agent.pages(of: request, by: .link) {}
    for try await _ in agent.pages(of: request, by: .pageNumber("n", size: 1)) {}
    #expect(hosts(transport) == "aaabbb")
  }

  @Test("An upload keeps the base of its start, and sends the agent's fields there")
  func upload() async throws {
    let answer: @Sendable (HTTPRequest) -> HTTPResponse = { request in
      if request.method == .post { return HTTPResponse(status: 201, headers: ["Location": "/v1/files/7"]) }
      let offset = Int(request.headers["Upload-Offset"] ?? "") ?? 0
      return HTTPResponse(status: 204, headers: ["Upload-Offset": "\(offset + 4)"])
    }
    let (agent, transport) = agent(
      try failover(order: .roundRobin), { $0.headers = ["X-Key": "k"] }, answer: answer)
    for _ in 0..<2 {
      _ = try await agent.upload(.data(Data("12345678".utf8)), to: .post("files"), by: .tus(chunkSize: 4))
    }
    #expect(
      transport.requests.map { "\($0.method) \($0.url.host ?? "")" } == [
        "POST a.example", "PATCH a.example", "PATCH a.example",
        "POST b.example", "PATCH b.example", "PATCH b.example",
      ])
    #expect(transport.requests.allSatisfy { $0.headers["X-Key"] == "k" })
  }

  @Test("An explanation shows the bases, and changes nothing")
  func explained() async throws {
    let (agent, transport) = agent(try failover(order: .roundRobin))
    for _ in 0..<2 {
      let text = try await agent.explain(.get("x")).description
      #expect(text.contains("GET https://a.example/v1/x"))
      #expect(text.contains("bases: https://a.example/v1, https://b.example/v1"))
    }
    try await agent.send(.get("x"))
    #expect(hosts(transport) == "a")
  }

  @Test("A hook with a response and a mock change no health")
  func replaced() async throws {
    let failover = try failover()
    var configuration = AgentConfiguration()
    configuration.failover = failover
    let page = LocalResponder("page") { _, _ in HTTPResponse(status: 503) }
    let agent = RequestAgent(
      transport: FunctionTransport(), hooks: [page], configuration: configuration)
    await #expect(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(failover.bases.map(\.isResting) == [false, false])
  }

  @Test("Many dispatches at once all succeed while bases fail in turn")
  func storm() async throws {
    let failover = try failover(["a", "b", "c"], order: .roundRobin, rest: .milliseconds(5))
    let (agent, _) = agent(failover, retries: 20) { $0.retryBudget = .unlimited }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask { [self] in
          if number % 20 == 0 { setDown(["a", "b", "c"][number / 20 % 3]) }
          try await agent.send(.get("x"))
        }
      }
      try await group.waitForAll()
    }
    #expect(agent.liveCount == 0)
  }
}
