import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Chains of requests", .timeLimit(.minutes(5)))
struct ChainRequestTests {
  struct Login: Request {
    struct Response: Decodable, Sendable { var token: String }
    let path = "login"
    let method = HTTPMethod.post
  }

  struct GetSecret: Request {
    typealias Response = String
    let path = "secret"
    var token: String
    var headers: HTTPHeaders { ["Authorization": "Bearer \(token)"] }
  }

  let recorder = Recorder()
  let clock = TestClock(autoAdvances: true)

  func agent(_ transport: MockTransport) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    return .mocked(by: transport, configuration: configuration)
  }

  static func login(_ answer: MockAnswer = .json(#"{"token":"t"}"#)) -> MockTransport {
    MockTransport { $0.path == "/login" ? answer : .text("for \($0.headers["Authorization"] ?? "nobody")") }
  }

  /// Returns the path, and 404 for paths that begin with `f`.
  static var echoing: MockTransport {
    MockTransport { $0.path.hasPrefix("/f") ? .status(404) : .text(String($0.path.dropFirst())) }
  }

  func members(_ paths: String...) -> [Member] { paths.map { Member(path: $0, recorder: recorder) } }

  @Test("A second request is made of the first value, and sent afterwards")
  func dependent() async throws {
    let transport = Self.login()
    let chain = ChainRequest(Login()).then { login in GetSecret(token: login.token) }
    #expect(try await agent(transport).send(chain) == "for Bearer t")
    #expect(transport.requests.map(\.path) == ["/login", "/secret"])
  }

  @Test("If the first request fails, the second request is never made nor sent")
  func failing() async throws {
    let transport = Self.login(.status(401))
    var chain = ChainRequest(Login()).then { [recorder] login in
      recorder.add("made")
      return GetSecret(token: login.token)
    }
    chain.accessories = [GroupDiary(recorder: recorder)]
    let error = try await #require(throws: RequestError.self) { try await agent(transport).send(chain) }
    #expect(error.status == 401 && error.group?.index == 0 && error.group?.request is Login)
    #expect(transport.requests.count == 1)
    #expect(
      recorder.events == [
        "willStart 0/0", "member 0 failure status 1/1", "willStop 1/1",
        "didStop failure status: failure status",
      ])
  }

  @Test("A callback runs after its member and before the next member is made")
  func callbacks() async throws {
    let recorder = recorder
    let chain = ChainRequest(Login())
      .onSuccess { recorder.add("callback \($0.token)") }
      .then { login in
        recorder.add("made")
        return Member(path: login.token, recorder: recorder)
      }
      .onSuccess { recorder.add("callback \($0)") }
    let handle = agent(Self.login()).start(chain, on: .global()) { recorder.add("completion \($0.word)") }
    #expect(try await handle.value == "for nobody")
    #expect(
      recorder.events == [
        "callback t", "made", "t sent", "t success", "callback for nobody", "completion success",
      ])
  }

  @Test("A list returns outcomes in order, and its callback runs between members")
  func list() async throws {
    let recorder = recorder
    var chain = ChainRequest(members("a", "b")) { index, value in recorder.add("callback \(index) \(value)") }
    chain.accessories = [GroupDiary(recorder: recorder)]
    #expect(try await agent(Self.echoing).send(chain).compactMap(\.value) == ["a", "b"])
    #expect(
      recorder.events == [
        "willStart 0/0", "a sent", "a success", "member 0 success 1/2", "callback 0 a", "b sent", "b success",
        "member 1 success 2/2", "callback 1 b", "willStop 2/2", "didStop success: success, success",
      ])
  }

  @Test("By default the first failure ends a list, and the report shows unsent members")
  func stopsOnFailure() async throws {
    var chain = ChainRequest(members("a", "f1", "c"))
    chain.accessories = [GroupDiary(recorder: recorder)]
    let error = try await #require(throws: RequestError.self) { try await agent(Self.echoing).send(chain) }
    #expect(error.group?.index == 1)
    #expect(recorder.events.last == "didStop failure status: success, failure status, cancelled unsent")
    #expect(
      recorder.events.filter { $0.hasSuffix("sent") && !$0.hasPrefix("didStop") } == ["a sent", "f1 sent"])
  }

  @Test("A list that continues after failures ends with its last result")
  func lastDecides() async throws {
    let agent = agent(Self.echoing)
    let outcomes = try await agent.send(ChainRequest(members("a", "f1", "c"), stopsOnFailure: false))
    #expect(outcomes.map(\.word) == ["success", "failure status", "success"])
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(ChainRequest(members("f1", "b", "f2"), stopsOnFailure: false))
    }
    #expect(error.group?.members.map(\.index) == [2, 0])
  }

  @Test("A list that stops on success needs a single success")
  func stopsOnSuccess() async throws {
    let transport = Self.echoing
    let chain = ChainRequest(members("f1", "b", "c"), stopsOnFailure: false, stopsOnSuccess: true)
    #expect(try await agent(transport).send(chain).last?.value == "b")
    #expect(transport.requests.map(\.path) == ["/f1", "/b"])
  }

  @Test("The interval is waited between members only, on the agent's clock")
  func interval() async throws {
    var list = ChainRequest(members("a", "b", "c"))
    list.interval = .seconds(30)
    try await agent(Self.echoing).send(list)
    #expect(clock.sleeps == [.seconds(30), .seconds(30)])
    var steps = ChainRequest(Member(path: "a")).then { _ in Member(path: "b") }.onSuccess { _ in }
    steps.interval = .seconds(5)
    try await agent(Self.echoing).send(steps)
    #expect(clock.sleeps.suffix(1) == [.seconds(5)] && clock.sleeps.count == 3)
  }

  @Test("An exhausted list is extended, and the extension gets the earlier results")
  func extended() async throws {
    let recorder = recorder
    var chain = ChainRequest(
      members("a"),
      extending: { outcomes in
        recorder.add("asked \(outcomes.compactMap(\.value))")
        return outcomes.count < 3 ? Member(path: "more\(outcomes.count)") : nil
      })
    chain.accessories = [GroupDiary(recorder: recorder)]
    #expect(try await agent(Self.echoing).send(chain).compactMap(\.value) == ["a", "more1", "more2"])
    let asked = recorder.events.filter { $0.hasPrefix("asked") || $0.hasPrefix("member") }
    #expect(
      asked == [
        "member 0 success 1/1", #"asked ["a"]"#, "member 1 success 2/2", #"asked ["a", "more1"]"#,
        "member 2 success 3/3", #"asked ["a", "more1", "more2"]"#,
      ])
  }

  @Test("An empty list asks for its extension first, and completes at once without further members")
  func empty() async throws {
    let agent = agent(Self.echoing)
    #expect(try await agent.send(ChainRequest([Member]())).isEmpty)
    #expect(try await agent.send(ChainRequest(extending: { _ -> Member? in nil })).isEmpty)
    let one = ChainRequest(extending: { $0.isEmpty ? Member(path: "a") : nil })
    #expect(try await agent.send(one).map(\.value) == ["a"])
    #expect(try await agent.send(ChainRequest { _ in 7 }) == 7)
  }

  @Test("Requests of several types with the same response are a list")
  func mixed() async throws {
    let requests: [any Request<String>] = [Member(path: "a"), GetSecret(token: "t")]
    #expect(
      try await agent(Self.echoing).send(ChainRequest(requests)).compactMap(\.value) == ["a", "secret"])
  }

  @Test("Code can send the members: a thrown error is the failure, and a caught error is not")
  func code() async throws {
    let agent = agent(Self.login())
    let value = try await agent.send(
      ChainRequest { chain in
        let login = try await chain.send(Login())
        let failed = await chain.outcome(
          of: Member(path: login.token).with(\.validators, [.status(500..<501)]))
        return "\(login.token) \(failed.word)"
      })
    #expect(value == "t failure status")
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(ChainRequest { _ in throw ProbeError(stage: "own") })
    }
    #expect(error.kind == .hook && error.cause(as: ProbeError.self)?.stage == "own" && error.group == nil)
    #expect(error.reason == #"the group threw ProbeError(stage: "own")"#)
  }

  @Test("An error of a member's closure is the cause, and nothing is sent")
  func makerThrows() async throws {
    let transport = Self.login()
    let error = try await #require(throws: RequestError.self) {
      try await agent(transport).send(
        ChainRequest(Login()).then { login -> Member in
          throw Refusal("the token \(login.token) is too short", kind: .validation)
        })
    }
    #expect(error.kind == .validation && error.reason == "the token t is too short")
    #expect(transport.requests.count == 1)
  }

  @Test("A run that outlives its group sends nothing")
  func outlived() async throws {
    let transport = Self.echoing
    let kept = Locked<GroupRun?>(nil)
    let handle = agent(transport).start(ChainRequest { run in kept.withLock { $0 = run } })
    try await handle.value
    let run = try #require(kept.withLock { $0 })
    await #expect(throws: CancellationError.self) { try await run.send(Member(path: "late")) }
    #expect(transport.requests.isEmpty && handle.report?.members.isEmpty == true)
  }

  @Test(
    "A batch in a chain fails for its own members only, not for a failure that the chain has caught")
  func batchWithin() async throws {
    let agent = agent(Self.echoing)
    let batch = UniformBatch(members("a", "b"))
    let values = try await agent.send(
      ChainRequest { run in
        _ = await run.outcome(of: Member(path: "f1"))
        return try await batch.results(in: run)
      })
    #expect(values == ["a", "b"])
    let pair = try await agent.send(
      ChainRequest { run in
        _ = await run.outcome(of: Member(path: "f1"))
        return try await run.values(of: Member(path: "a"), GetSecret(token: "t"), stopsOnFailure: true).0
      })
    #expect(pair == "a")
  }

  @Test("The failure of a batch or a list in a chain names its own members only")
  func failuresWithin() async throws {
    let agent = agent(Self.echoing)
    var batch = UniformBatch(members("a", "f2", "f3"), width: 1)
    batch.stopsOnFailure = false
    let list = ChainRequest(members("a", "f2"))
    let errors = [
      try await #require(throws: RequestError.self) {
        try await agent.send(
          ChainRequest { [batch] run in
            _ = await run.outcome(of: Member(path: "f1"))
            _ = try await batch.results(in: run)
          })
      },
      try await #require(throws: RequestError.self) {
        try await agent.send(
          ChainRequest { run in
            _ = await run.outcome(of: Member(path: "f1"))
            _ = try await list.results(in: run)
          })
      },
    ]
    #expect(errors.map { $0.group?.members.map(\.index) } == [[2, 3], [2]])
  }

  @Test("A failed batch ends its own members, and code that catches the failure can continue")
  func batchInside() async throws {
    let transport = FunctionTransport { request, _ in
      HTTPResponse(status: request.url.path == "/bad" ? 500 : 200, body: Data(request.url.path.utf8))
    }
    let agent = RequestAgent(baseURL: "http://a.example", transport: transport)
    let chain = ChainRequest { run in
      let batch = UniformBatch(
        [OneOffRequest.get("bad", as: String.self), .get("never", as: String.self)], width: 1)
      let error = await #expect(throws: RequestError.self) { try await batch.results(in: run) }
      #expect(error?.group?.members.map(\.index) == [0])
      return try await run.send(.get("next", as: String.self))
    }
    let handle = agent.start(chain)
    #expect(try await handle.value == "/next")
    #expect(handle.report?.members.map(\.wasSent) == [true, false, true])
  }

  @Test("A polling chain remembers its last 1,000 members, and counts all")
  func endless() async throws {
    let agent = RequestAgent(baseURL: "http://a.example", transport: FunctionTransport())
    let count = GroupLedger.limit + 700
    let chain = ChainRequest { run in
      _ = try await UniformBatch([OneOffRequest.get("batch")]).results(in: run)
      for number in 1..<count {
        let request = OneOffRequest.get("poll").with(
          \.validators, number % 2 == 0 ? [] : [.status(500..<501)])
        _ = await run.outcome(of: request)
      }
    }
    let handle = agent.start(chain)
    try await handle.value
    let report = try #require(handle.report)
    #expect(report.members.map(\.index) == [0] + Array((count - GroupLedger.limit)..<count))
    #expect(report.members.allSatisfy { $0.exchange != nil && $0.wasSent })
    var progress: GroupReport.Progress?
    for await latest in handle.progress { progress = latest }
    #expect(progress?.completed == count && progress?.total == count)
  }
}
