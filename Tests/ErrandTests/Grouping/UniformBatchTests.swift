import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Batches of requests of the same type", .timeLimit(.minutes(5)))
struct UniformBatchTests {
  let server = GatedServer()
  let recorder = Recorder()

  func members(_ paths: [String]) -> [Member] { paths.map { Member(path: $0, recorder: recorder) } }

  @Test("With width 1, the list of events is deterministic")
  func events() async throws {
    for path in ["a", "b", "c"] { server.open(path) }
    var batch = UniformBatch(members(["a", "b", "c"]), width: 1)
    batch.accessories = [GroupDiary(recorder: recorder)]
    let handle = server.agent().start(batch, on: .global()) { recorder.add("completion \($0.word)") }
    #expect(try await handle.value == ["a", "b", "c"])
    #expect(
      recorder.events == [
        "willStart 0/0", "a sent", "a success", "member 0 success 1/3", "b sent", "b success",
        "member 1 success 2/3", "c sent", "c success", "member 2 success 3/3", "willStop 3/3",
        "completion success", "didStop success: success, success, success",
      ])
  }

  @Test("At most `width` members run concurrently, in order, and results are in the order of the requests")
  func width() async throws {
    let paths = (0..<9).map { "p\($0)" }
    let handle = server.agent().start(UniformBatch(members(paths), width: 3))
    for path in ["p0", "p1", "p2"] { try await server.arrival(of: path) }
    // Opens the paths backwards, so ends and results have different orders.
    for (ended, begun) in [(2, 3), (3, 4), (1, 5), (5, 6), (4, 7), (7, 8)] {
      #expect(server.paths.count == begun)
      server.open(paths[ended])
      try await server.arrival(of: paths[begun])
    }
    for path in paths { server.open(path) }
    #expect(try await handle.value == paths)
  }

  @Test("A failure stops sending, and the report shows unsent members")
  func unsent() async throws {
    var batch = UniformBatch(members(["a", "b", "c", "d"]), width: 2)
    batch.accessories = [GroupDiary(recorder: recorder)]
    let handle = server.agent().start(batch)
    for path in ["a", "b"] { try await server.arrival(of: path) }
    server.open("b", .status(503))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.group?.index == 1)
    #expect(server.paths.sorted() == ["a", "b"])
    let report = try #require(handle.report)
    #expect(report.text == "cancelled, failure status, cancelled unsent, cancelled unsent")
    #expect(report.members.map { $0.exchange != nil } == [true, true, false, false])
    #expect(report.members.map(\.index) == [0, 1, 2, 3])
    #expect(recorder.events.last == "didStop failure status: \(report.text)")
    #expect(recorder.events.filter { $0.hasPrefix("member") }.count == 2)
  }

  @Test("Outcomes are complete, and in the order of the requests")
  func outcomes() async throws {
    server.open("a")
    server.open("b", .status(500))
    server.open("c")
    let batch = UniformBatch(members(["a", "b", "c"]), width: 2)
    let outcomes = try await server.agent().send(batch.outcomes)
    #expect(outcomes.map(\.word) == ["success", "failure status", "success"])
    let again = try await server.agent().send(UniformBatch(members(["b", "a"]), width: 1).outcomes)
    #expect(again.map(\.word) == ["failure status", "success"])
  }

  @Test("An empty batch completes at once, for any width", arguments: [nil, 0, 5])
  func empty(_ width: Int?) async throws {
    let agent = server.agent()
    #expect(try await agent.send(UniformBatch([Member](), width: width)).isEmpty)
    #expect(try await agent.sendTogether([Member](), width: width).isEmpty)
    #expect(try await agent.send(UniformBatch([Member](), width: width).outcomes).isEmpty)
  }

  @Test("A width below 1 counts as 1")
  func narrow() async throws {
    for path in ["a", "b"] { server.open(path) }
    #expect(try await server.agent().sendTogether(members(["a", "b"]), width: -3) == ["a", "b"])
    #expect(recorder.events == ["a sent", "a success", "b sent", "b success"])
  }

  @Test("Progress starts with the current state, grows, and ends with the group, for any number of listeners")
  func progress() async throws {
    let handle = server.agent().start(UniformBatch(members(["a", "b", "c"])))
    try await server.arrival(of: "c")
    #expect(handle.progress.current == GroupReport.Progress(completed: 0, total: 3))
    let listeners = (0..<3).map { _ in
      Task {
        var seen: [GroupReport.Progress] = []
        for await progress in handle.progress { seen.append(progress) }
        return seen
      }
    }
    var own = handle.progress.makeAsyncIterator()
    for (count, path) in ["a", "b", "c"].enumerated() {
      #expect(await own.next() == GroupReport.Progress(completed: count, total: 3))
      server.open(path)
    }
    #expect(await own.next() == GroupReport.Progress(completed: 3, total: 3))
    #expect(await own.next() == nil)
    for listener in listeners {
      let seen = await listener.value.map(\.completed)
      #expect(seen.last == 3 && seen == Set(seen).sorted())
    }
    var late = handle.progress.makeAsyncIterator()
    #expect(await late.next() == GroupReport.Progress(completed: 3, total: 3))
    #expect(await late.next() == nil)
  }

  @Test("When the progress has ended, outcome and report are there")
  func progressEnd() async throws {
    server.open("a")
    let agent = server.agent()
    for _ in 0..<200 {
      let handle = agent.start(UniformBatch(members(["a"])))
      for await _ in handle.progress {}
      let ended = try (#require(handle.outcome), #require(handle.report))
      #expect(ended.0.value == ["a"] && ended.1.text == "success")
    }
  }

  @Test("The agent's group accessories run before the group's own")
  func agentAccessory() async throws {
    struct Both: Accessory, GroupAccessory {
      let recorder: Recorder
      func groupWillStart(_ context: GroupContext) async {
        recorder.add("agent's \(context.id) \(context.comment ?? "")")
      }
      func requestWillStart(_ context: RequestContext) async { recorder.add("request \(context.id)") }
    }
    server.open("a")
    var batch = UniformBatch(members(["a"]))
    batch.accessories = [GroupDiary(recorder: recorder)]
    batch.comment = "users"
    _ = try await server.agent(accessories: [Both(recorder: recorder)]).send(batch)
    #expect(recorder.events.prefix(3) == ["agent's 1 users", "willStart 0/0", "request 1"])
  }

  @Test("An ended group releases its members")
  func released() async throws {
    let agent = server.agent()
    for path in ["a", "b"] { server.open(path) }
    weak var held: Recorder?
    do {
      let recorder = Recorder()
      held = recorder
      _ = try await agent.sendTogether(["a", "b"].map { Member(path: $0, recorder: recorder) })
      #expect(held != nil)
    }
    #expect(held == nil)
  }

  @Test("A member's filter that cancels also cancels its batch")
  func cancelledAlone() async throws {
    struct Shy: Request {
      typealias Response = String
      let path = "a"
      func filter(_ outcome: Outcome<String>, context: RequestContext) async -> Outcome<String> { .cancelled }
    }
    server.open("a")
    let error = try await #require(throws: RequestError.self) {
      try await server.agent().sendTogether([Shy()])
    }
    #expect(error.kind == .cancelled && error.reason == "the group was cancelled")
  }

  #if os(Linux)
  @Test("On a real server a failure closes the connections of the other members")
  func connections() async throws {
    let server = try MockServer()
    server.route(nil, "/a", answers: .text("a"))
    server.route(nil, "/slow/*", answers: MockAnswer.text("never").delayed(by: .seconds(3600)))
    let agent = RequestAgent(baseURL: server.baseURL)
    let slow = Task {
      try await agent.sendTogether(Member(path: "slow/1"), Member(path: "slow/2"), Late(server))
    }
    let error = try await #require(throws: RequestError.self) { try await slow.value }
    #expect(error.status == 404 && error.group?.index == 2)
    await server.waitForClosedConnections(2)
    #expect(server.requestCount == 3 && agent.liveCount == 0)
  }

  /// Sent after two requests have arrived at the server.
  struct Late: Request {
    typealias Response = String
    let path = "missing"
    let server: MockServer

    init(_ server: MockServer) { self.server = server }

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      await server.waitForRequests(2)
    }
  }
  #endif
}
