import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandApps

@Suite("Background tasks of an application", .timeLimit(.minutes(5)))
struct BackgroundTaskAccessoryTests {
  private struct Refusing: RequestHooks {
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      throw CocoaError(.userCancelled)
    }
  }

  private let application = SubstituteApplication()
  private let begin = "begin Errand mocked.example"

  @Test(
    "Each attempt has a background task, for every outcome",
    arguments: [
      (MockAnswer.json("7"), "success"), (.status(404), "failure status"),
      (.failure(TransportError(.connectionLost, "gone")), "failure connectionLost"),
      (.text("no number"), "failure decoding"),
    ])
  func outcomes(_ answer: MockAnswer, _ word: String) async throws {
    let agent = application.agent(over: MockTransport { _ in answer })
    let told = OneTime<String>()
    let request = OneOffRequest("a", response: .json() as any ResponseSerializer<Int>)
    agent.start(request.with(\.retryPolicy, .none), on: .global()) { told.set($0.word) }
    #expect(try await told.wait() == word)
    #expect(application.events == [begin, "end 1"])
  }

  @Test("A failed build, and a cancellation before sending, begin no task")
  func unsent() async throws {
    let transport = FunctionTransport()
    let refusing = application.agent(over: transport, hooks: [Refusing()])
    await #expect(throws: RequestError.self) { try await refusing.send(.get("a")) }
    let agent = application.agent(over: transport)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await agent.send(.get("a"))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(application.events == [])
    #expect(transport.requests.isEmpty)
  }

  @Test("If the dispatch is cancelled while the task begins, the task is ended and nothing is sent")
  func cancelledAtBegin() async throws {
    let transport = FunctionTransport()
    let handle = application.agent(over: transport).start(.get("a"), suspended: true)
    application.recorder.on(begin) { handle.cancel() }
    handle.resume()
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(handle.state == .cancelled)
    #expect(application.events == [begin, "end 1"])
    #expect(transport.requests.isEmpty)
  }

  @Test("If the dispatch is cancelled during an attempt, the task is ended")
  func cancelled() async throws {
    let transport = GatedTransport()
    let handle = application.agent(over: transport).start(.get("a"))
    await transport.waitForRequests(1)
    #expect(application.events == [begin])
    handle.cancel()
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(handle.state == .cancelled)
    #expect(application.events == [begin, "end 1"])
  }

  @Test("The task is ended once if the dispatch is cancelled during the wait for a retry, or after the end")
  func cancelledLater() async throws {
    let clock = TestClock()
    let agent = application.agent(over: MockTransport { .status($0.number == 1 ? 503 : 200) }, clock: clock)
    let waiting = agent.start(.get("a"))
    await clock.waitForSleeps(1)
    #expect(application.events == [begin, "end 1"])
    waiting.cancel()
    await #expect(throws: RequestError.self) { try await waiting.value }
    #expect(application.events == [begin, "end 1"])
    let over = agent.start(.get("a"))
    try await over.value
    over.cancel()
    #expect(
      application.events == [begin, "end 1", begin, "end 2"])
  }

  @Test("Each attempt has a task, and the wait for a retry has none")
  func retries() async throws {
    let clock = TestClock()
    let transport = MockTransport { .status($0.number == 1 ? 503 : 200) }
    let handle = application.agent(over: transport, clock: clock).start(.get("a"))
    await clock.waitForSleeps(1)
    #expect(application.events == [begin, "end 1"])
    await clock.advance(by: .seconds(600))
    try await handle.value
    #expect(
      application.events == [begin, "end 1", begin, "end 2"])
  }

  @Test("An attempt with redirects has a task, named after the first host")
  func redirects() async throws {
    let transport = MockTransport { request in
      request.number < 3
        ? .status(302).header("Location", "https://other.example/\(request.number)") : .status(200)
    }
    try await application.agent(over: transport).send(.get("a"))
    #expect(application.events == [begin, "end 1"])
  }

  @Test(
    "A redirect to a covered request begins a task, and a redirect to another request does not end the task")
  func coveredHops() async throws {
    let application = application
    let transport = MockTransport { request in
      application.recorder.add("sent \(request.method)")
      guard request.method == .post else { return .status(200) }
      return .status(303).header("Location", "https://other.example/b")
    }
    for method in [HTTPMethod.get, .post] {
      let accessory = application.accessory { $0.method == method }
      try await RequestAgent.accompanied(by: accessory, over: transport).send(.post("a"))
    }
    #expect(
      application.events == [
        "sent POST", "begin Errand other.example", "sent GET", "end 1",
        begin, "sent POST", "sent GET", "end 2",
      ])
  }

  @Test("A stream has a task until the end of its body")
  func streams() async throws {
    let stream = try await application.agent(
      over: MockTransport { _ in .text("body") }
    )
    .stream(.get("a"))
    #expect(application.events == [begin])
    #expect(try await stream.body.all() == Data("body".utf8))
    try await application.recorder.wait(for: "end 1")
    #expect(application.events == [begin, "end 1"])
  }

  @Test("A request that is not covered has no task")
  func uncovered() async throws {
    let accessory = application.accessory { $0.method == .post }
    let agent = RequestAgent.accompanied(by: accessory, over: MockTransport { _ in .status(200) })
    try await agent.send(.get("a"))
    #expect(application.events == [])
    try await agent.send(.post("a"))
    #expect(application.events == [begin, "end 1"])
  }

  @Test("If no task is granted, no task is ended, and the next attempt asks again")
  func refused() async throws {
    let application = SubstituteApplication(isGenerous: false)
    try await application.agent(
      over: MockTransport { .status($0.number == 1 ? 503 : 200) }
    )
    .send(.get("a"))
    #expect(application.events == [begin, begin])
  }

  @Test("Dispatches with equal numbers of two agents with the same accessory have their own tasks")
  func twoAgents() async throws {
    let (accessory, transport) = (application.accessory(), GatedTransport())
    let first = RequestAgent.accompanied(by: accessory, over: transport).start(.get("a"))
    await transport.waitForRequests(1)
    let second = RequestAgent.accompanied(by: accessory, over: transport).start(.get("b"))
    await transport.waitForRequests(2)
    application.expire(1)
    #expect(application.running == [2])
    transport.open()
    try await first.value
    try await second.value
    #expect(
      application.events == [
        begin, begin, "end 1", "expired dispatch 1, attempt 1",
        "end 2",
      ])
  }

  @Test("An accessory listed twice begins one task per attempt")
  func twice() async throws {
    let accessory = application.accessory()
    try await RequestAgent.accompanied(by: accessory, accessory, over: FunctionTransport()).send(.get("a"))
    #expect(application.events == [begin, "end 1"])
  }

  @Test("Each task is ended once, and each expiry reported at most once, under concurrency")
  func storm() async throws {
    let (application, accessory) = (application, application.accessory())
    let transport = FunctionTransport { request, number in
      // Expires ended, running and unbegun tasks.
      for id in stride(from: 2, through: 300, by: 2) { application.expire(id) }
      await Task.yield()
      return HTTPResponse(status: request.url.path.hasSuffix("0") ? 404 : 200)
    }
    let agents = (0..<2).map { _ in RequestAgent.accompanied(by: accessory, over: transport) }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<300 {
        group.addTask {
          let handle = agents[index % 2].start(.get("\(index)"))
          if index % 3 == 0 { handle.cancel() }
          try? await handle.value
        }
      }
    }
    let events = application.events
    let count = events.count { $0 == begin }
    #expect(count >= 200)
    let ends = events.filter { $0.hasPrefix("end") }
    #expect(ends.sorted() == (1...max(count, 1)).map { "end \($0)" }.sorted())
    #expect(application.running == [])
    let expired = events.count { $0.hasPrefix("expired") }
    #expect(expired > 0)
    #expect(events.count == 2 * count + expired && expired <= count / 2)
  }
}
