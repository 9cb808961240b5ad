import Errand
import ErrandMocks
import Testing

@Suite("How often a stub answers")
struct StubAnswerTests {
  private func bodies(of transport: MockTransport, _ count: Int) async throws -> [String] {
    var bodies: [String] = []
    for _ in 0..<count { bodies.append(try await transport.exchange(.get, "https://h/a").body) }
    return bodies
  }

  @Test("A used up stub lets the next matching stub answer")
  func spent() async throws {
    let transport = MockTransport([
      Stub(.get, "/a", answers: .text("1"), .text("2")).times(3), Stub(.get, "/b", answers: .text("no")),
      Stub(.get, "/a", answers: .text("3")).times(1), Stub(.get, "/*", answers: .text("4")),
    ])
    #expect(try await bodies(of: transport, 6) == ["1", "2", "2", "3", "4", "4"])
  }

  @Test(
    "If all stubs are used up, the message says so",
    arguments: [(0, "0 answers"), (1, "1 answer"), (2, "2 answers")])
  func allSpent(count: Int, text: String) async throws {
    let stub = Stub(.get, "/a", answers: .text("1")).times(count)
    let transport = MockTransport([stub])
    #expect(try await bodies(of: transport, count).count == count)
    #expect(
      try await transport.refusal(of: .get, "https://h/a")
        == "no stub answers GET https://h/a; the only stub:\n1. \(stub): used up after \(text)")
  }

  @Test("Queued answers come before a stub's own answer, and a negative count is 0")
  func after() async throws {
    let transport = MockTransport([
      Stub(.get, "/a", answers: .text("never")).times(-1),
      Stub(.get, "/a", answers: .text("3")).after(.text("2")).after(.text("0"), .text("1")),
    ])
    #expect(try await bodies(of: transport, 5) == ["0", "1", "2", "3", "3"])
    #expect(try await bodies(of: MockTransport([Stub(.get, "/a").after(.text("1"))]), 2) == ["1", ""])
  }

  @Test("A single-valued field is replaced, and other fields are appended")
  func headers() {
    let answer = MockAnswer.text("<p>").header("content-type", "text/html").header("ETag", "a").header(
      "etag", "b"
    )
    .header("Set-Cookie", "a=1").header("Set-Cookie", "b=2").header("Content-Length", "3")
    .header("Content-Length", "4")
    #expect(
      answer.headers.fields.map { "\($0.name): \($0.value)" } == [
        "content-type: text/html", "etag: b", "Set-Cookie: a=1", "Set-Cookie: b=2", "Content-Length: 3",
        "Content-Length: 4",
      ])
  }

  @Test("Concurrent requests get each answer once")
  func atOnce() async throws {
    let answers = (1...50).map { MockAnswer.text("\($0)") }
    let stub = answers.dropLast().reversed().reduce(Stub(.get, "/a", answers: answers[49])) { $0.after($1) }
    let transport = MockTransport([stub.times(50)])
    let bodies = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await transport.exchange(.get, "https://h/a").body } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(bodies.compactMap { Int($0) }.sorted() == Array(1...50))
  }
}
