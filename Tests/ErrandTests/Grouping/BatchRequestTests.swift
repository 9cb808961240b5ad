import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Batches of requests of any types", .timeLimit(.minutes(5)))
struct BatchRequestTests {
  struct Number: Request {
    typealias Response = Int
    let path: String
  }

  struct Quiet: Request {
    typealias Response = Void
    let path: String
  }

  let server = GatedServer()

  @Test("All members are sent concurrently, and the values are a tuple in the order of the requests")
  func together() async throws {
    let agent = server.agent()
    async let results = agent.send(BatchRequest(Member(path: "a"), Number(path: "b"), Quiet(path: "c")))
    for path in ["a", "b", "c"] { try await server.arrival(of: path) }
    server.open("c", .status(204))
    server.open("b", .json("7"))
    server.open("a")
    let (text, number, _) = try await results
    #expect(text == "a" && number == 7)
  }

  @Test("A batch of one request returns its value, and an empty batch completes at once")
  func few() async throws {
    server.open("a")
    let value: String = try await server.agent().send(BatchRequest(Member(path: "a")))
    #expect(value == "a")
    let recorder = Recorder()
    var none = BatchRequest()
    none.accessories = [GroupDiary(recorder: recorder)]
    try await server.agent().send(none)
    #expect(recorder.events == ["willStart 0/0", "willStop 0/0", "didStop success: "])
  }

  @Test("The first failure cancels the other members, is the failure of the batch, and names its member")
  func failure() async throws {
    let recorder = Recorder()
    var batch = BatchRequest(Member(path: "a"), Number(path: "b"), Member(path: "c"))
    batch.accessories = [GroupDiary(recorder: recorder)]
    let agent = server.agent()
    let handle = agent.start(batch, on: .global()) { recorder.add("completion \($0.word)") }
    for path in ["a", "b", "c"] { try await server.arrival(of: path) }
    server.open("a")
    var progress = handle.progress.makeAsyncIterator()
    while let next = await progress.next(), next.completed < 1 {}
    server.open("b", .status(404))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .status && error.status == 404)
    #expect(error.group?.index == 1 && error.group?.request is Number && error.group?.members.count == 1)
    #expect(error.description.contains("\nMember: index 1 of the group, Number.\n"))
    // The end of the other members has no fixed order.
    let events = recorder.events.map { $0.replacing(#/ \d/\d$/#, with: "") }
    #expect(
      events == [
        "willStart", "member 0 success", "member 1 failure status", "member 2 cancelled", "willStop",
        "completion failure status", "didStop failure status: success, failure status, cancelled",
      ])
    #expect(agent.liveCount == 0)
  }

  @Test(
    "Without stopping, the batch waits for all and fails with the first failure, which lists the other failures"
  )
  func waiting() async throws {
    let recorder = Recorder()
    var batch = BatchRequest(Member(path: "a"), Member(path: "b", recorder: recorder), Number(path: "c"))
    batch.stopsOnFailure = false
    let handle = server.agent().start(batch)
    for path in ["a", "b", "c"] { try await server.arrival(of: path) }
    var progress = handle.progress.makeAsyncIterator()
    server.open("c", .json(#""no number""#))
    while let next = await progress.next(), next.completed < 1 {}
    server.open("a", .status(500))
    while let next = await progress.next(), next.completed < 2 {}
    #expect(handle.outcome == nil)
    server.open("b")
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .decoding)
    #expect(error.group?.members.map(\.index) == [2, 0])
    #expect(error.group?.members.map(\.error?.kind) == [.decoding, .status])
    #expect(error.description.contains("Member: index 2 of the group, Number; another member failed."))
    #expect(recorder.events.last == "b success")
  }

  @Test("The outcomes are a separate group, which no failure ends")
  func outcomes() async throws {
    server.open("a", .status(500))
    server.open("b", .json("7"))
    let agent = server.agent()
    let (first, second) = try await agent.send(BatchRequest(Member(path: "a"), Number(path: "b")).outcomes)
    #expect(first.error?.status == 500 && second.value == 7)
    let (third, fourth) = try await agent.outcomesTogether(Number(path: "b"), Member(path: "a"))
    #expect(third.value == 7 && fourth.error?.status == 500)
  }

  @Test("A function does the same on systems without the type")
  func function() async throws {
    server.open("a")
    server.open("b", .json("7"))
    let agent = server.agent()
    let (text, number) = try await agent.sendTogether(Member(path: "a"), Number(path: "b"))
    #expect(text == "a" && number == 7)
    server.open("c", .status(404))
    let error = try await #require(throws: RequestError.self) {
      try await agent.sendTogether(Member(path: "never"), Quiet(path: "c"))
    }
    #expect(error.group?.index == 1)
  }

  @Test("A batch can be started twice, as two independent runs")
  func twice() async throws {
    let recorder = Recorder()
    var batch = BatchRequest(Member(path: "a", recorder: recorder))
    batch.accessories = [GroupDiary(recorder: recorder)]
    let agent = server.agent()
    let (first, second) = (agent.start(batch), agent.start(batch))
    try await server.arrival(of: "a")
    first.cancel()
    await #expect(throws: RequestError.self) { try await first.value }
    server.open("a")
    #expect(try await second.value == "a")
    let counts = Dictionary(recorder.events.map { ($0, 1) }, uniquingKeysWith: +)
    #expect(counts["willStart 0/0"] == 2 && counts["didStop cancelled: cancelled"] == 1)
    #expect(counts["didStop success: success"] == 1)
  }
}
