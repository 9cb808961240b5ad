import Errand
import ErrandMocks
import Testing

@Suite("Expected call counts, and adding and removing stubs")
struct StubCountTests {
  @Test("A stub with too few calls is reported with both numbers")
  func times() async throws {
    let stub = Stub(.post, "/a", answers: .status(201)).times(3)
    let transport = MockTransport([stub])
    let never = #expect(throws: UnusedStubs.self) { try transport.checkAllUsed() }
    #expect(never?.description == "1 stub was never used: \(stub) answered 0 of 3 times")
    try await transport.exchange(.post, "https://h/a")
    let error = #expect(throws: UnusedStubs.self) { try transport.checkAllUsed() }
    #expect(error?.description == "1 stub was not used up: \(stub) answered 1 of 3 times")
    #expect(error?.counts == [1])
    let other = Stub(.get, "/b")
    transport.add(other)
    let two = #expect(throws: UnusedStubs.self) { try transport.checkAllUsed() }
    #expect(
      two?.description
        == "2 stubs were not used up: \(other) answered 0 of 1 time, \(stub) answered 1 of 3 times")
    transport.remove(other)
    for _ in 0..<2 { try await transport.exchange(.post, "https://h/a") }
    try transport.checkAllUsed()
    #expect(try await transport.refusal(of: .post, "https://h/a").hasSuffix("used up after 3 answers"))
  }

  @Test("Ranges set the minimum and maximum number of calls, and optional stubs are not reported")
  func ranges() async throws {
    let least = Stub(.get, "/least").times(2...)
    let between = Stub(.get, "/between").times(1...2)
    let transport = MockTransport([
      least, between, Stub(.get, "/most").times(...2), Stub(.get, "/optional").optional(),
      Stub(.get, "/none").times(0),
    ])
    for path in ["least", "between", "between"] { try await transport.exchange(.get, "https://h/\(path)") }
    let error = #expect(throws: UnusedStubs.self) { try transport.checkAllUsed() }
    #expect(error?.description == "1 stub was not used up: \(least) answered 1 of at least 2 times")
    for _ in 0..<3 { try await transport.exchange(.get, "https://h/least") }
    try transport.checkAllUsed()
    _ = try await transport.refusal(of: .get, "https://h/between")
    _ = try await transport.refusal(of: .get, "https://h/none")
  }

  @Test("A stub with an empty range of counts answers nothing")
  func emptyRanges() async throws {
    for counts in [Int.min..<Int.min, 0..<0, -5 ..< -1] {
      let stub = Stub(.get, "/a").times(counts)
      let transport = MockTransport([stub, Stub(.get, "/b").times(..<Int.min)])
      _ = try await transport.refusal(of: .get, "https://h/a")
      _ = try await transport.refusal(of: .get, "https://h/b")
      #expect(throws: UnexpectedCalls.self) { try stub.checkCalled(times: ..<Int.min) }
    }
  }

  @Test("Closures answer from the variables, after queued answers, and may wait")
  func closures() async throws {
    struct Refused: Error {}
    let transport = MockTransport([
      Stub(.get, "/users/{id:int}") { .text("user \($0.variables["id"] ?? "")") }.after(.status(503)),
      Stub(.get, "/wait/{name}") { request in
        await Task.yield()
        return .text("waited for \(request.variables["name"] ?? "")")
      },
      Stub(.get, "/refused") { _ -> MockAnswer in throw Refused() }.times(1),
    ])
    #expect(try await transport.exchange(.get, "https://h/users/7").head.status == 503)
    #expect(try await transport.exchange(.get, "https://h/users/8").body == "user 8")
    #expect(try await transport.exchange(.get, "https://h/wait/a%2Fb").body == "waited for a/b")
    await #expect(throws: Refused.self) { try await transport.exchange(.get, "https://h/refused") }
    try transport.checkAllUsed()
    #expect(try await transport.refusal(of: .get, "https://h/refused").contains("used up after 1 answer"))
  }

  @Test("A server calls synchronous closures; asynchronous closures, and thrown errors, become a 500")
  func serverClosures() throws {
    let server = try MockServer()
    let waiting = Stub(.get, "/wait") { _ in
      await Task.yield()
      return .status(200)
    }
    server.add(
      Stub(.get, "/users/{id}") { .text($0.variables["id"] ?? "") },
      Stub(.get, "/refused") { _ -> MockAnswer in throw CancellationError() }, waiting)
    #expect(try RawClient.get("/users/7", port: server.port).hasSuffix("\r\n\r\n7"))
    let refused = try RawClient.get("/refused", port: server.port)
    #expect(refused.hasPrefix("HTTP/1.1 500") && refused.hasSuffix("the stub threw: CancellationError()"))
    #expect(
      try RawClient.get("/wait", port: server.port)
        .hasSuffix("the stub \(waiting) has an async closure, which a MockServer does not support"))
  }

  @Test("Stubs are inserted before other stubs and before a closure, removed, and reset")
  func changes() async throws {
    let transport = MockTransport { _ in .text("closure") }
    func body() async throws -> String { try await transport.exchange(.get, "https://h/a").body }
    let (one, two) = (
      Stub(.get, "/a", answers: .text("1"), .text("1 again")), Stub(.get, "/a", answers: .text("2"))
    )
    #expect(try await body() == "closure")
    transport.add(one)
    #expect(try await [body(), body()] == ["1", "1 again"])
    transport.reset()
    #expect(transport.requests.isEmpty && one.calls.isEmpty && transport.unusedStubs.count == 1)
    #expect(try await body() == "1")
    #expect(transport.requests.map(\.number) == [4] && one.calls.map(\.number) == [4])
    transport.add(two)
    #expect(try await body() == "2")
    transport.remove(two)
    #expect(try await body() == "1 again")
    transport.removeAllStubs()
    #expect(try await body() == "closure")
    #expect(two.calls.map(\.number) == [5] && transport.calls(of: two).isEmpty)
    try transport.checkAllUsed()
  }

  @Test("A server's stubs can be reset, and its routes removed")
  func serverChanges() throws {
    let server = try MockServer()
    let route = server.route(.get, "/a", answers: .text("1"), .text("2"))
    #expect(try RawClient.get("/a", port: server.port).hasSuffix("1"))
    server.reset()
    #expect(server.requests.isEmpty && route.calls.isEmpty)
    #expect(try RawClient.get("/a", port: server.port).hasSuffix("1"))
    #expect(server.requests.map(\.number) == [2] && route.calls.map(\.number) == [2])
    server.remove(route)
    #expect(try RawClient.get("/a", port: server.port).hasPrefix("HTTP/1.1 404"))
    #expect(server.unmatched.map(\.number) == [3])
  }

  @Test(
    "Concurrent adding, removing, resetting and sending loses no request", .timeLimit(.minutes(5)))
  func concurrently() async throws {
    let steady = Stub(.get, "/steady", answers: .status(200))
    let transport = MockTransport([steady])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let stub = Stub(.get, "/\(number)") { [weak transport] _ in
            .text("\(transport?.unusedStubs.count ?? 0 > 0)")
          }
          transport.add(stub)
          _ = try await transport.exchange(.get, "https://h/\(number)")
          try await transport.exchange(.get, "https://h/steady")
          transport.remove(stub)
          if number % 10 == 0 { transport.reset() }
        }
      }
      try await group.waitForAll()
    }
    transport.reset()
    for _ in 0..<3 { try await transport.exchange(.get, "https://h/steady") }
    try steady.checkCalled(times: 3)
    try transport.checkAllUsed()
  }

  @Test(
    "A closure with the last reference to a user of the mock is released outside of the locks",
    .timeLimit(.minutes(5)))
  func released() {
    final class Holder: Sendable {
      let transport: MockTransport
      init(_ transport: MockTransport) { self.transport = transport }
      deinit { transport.add(Stub(.get, "/released")) }
    }
    let transport = MockTransport([])
    do {
      let holder = Holder(transport)
      transport.add(Stub(.get, "/a") { _ in .text("\(holder.transport.requests.count)") })
    }
    transport.removeAllStubs()
    #expect(transport.unusedStubs.map { "\($0)".hasPrefix("GET /released") } == [true])
  }
}
