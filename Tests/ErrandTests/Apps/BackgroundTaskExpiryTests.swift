import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandApps

@Suite("Expired background tasks", .timeLimit(.minutes(5)))
struct BackgroundTaskExpiryTests {
  private let application = SubstituteApplication()
  private let begin = "begin Errand mocked.example"

  @Test("An expiry ends the task once, does not end the dispatch, and the end of the dispatch has no effect")
  func expiry() async throws {
    let transport = GatedTransport()
    let handle = application.agent(over: transport).start(.get("a"))
    await transport.waitForRequests(1)
    application.expire(1)
    application.expire(1)
    #expect(handle.state == .running)
    transport.open()
    try await handle.value
    application.expire(1)
    #expect(application.events == [begin, "end 1", "expired dispatch 1, attempt 1"])
  }

  @Test("An expiry after the end has no effect")
  func late() async throws {
    try await application.agent(over: FunctionTransport()).send(.get("a"))
    application.expire(1)
    #expect(application.events == [begin, "end 1"])
  }

  @Test("An expiry after the end does not affect the next attempt's task")
  func lateInRetry() async throws {
    let application = application
    let transport = MockTransport { request in
      application.recorder.add("sent \(request.number)")
      return .status(request.number == 1 ? 503 : 200)
    }
    application.recorder.on("sent 2") {
      application.expire(1)
      application.recorder.add("expire 2")
      application.expire(2)
    }
    try await application.agent(over: transport).send(.get("a"))
    #expect(
      application.events == [
        begin, "sent 1", "end 1", begin, "sent 2", "expire 2",
        "end 2",
        "expired dispatch 1, attempt 2",
      ])
  }

  @Test("After an expiry, a redirect begins no task, and a retry begins its own task")
  func afterExpiry() async throws {
    let application = application
    let transport = MockTransport { request in
      application.recorder.add("sent \(request.number)")
      switch request.number {
      case 1: return .status(302).header("Location", "/b")
      case 2: return .status(503)
      default: return .status(200)
      }
    }
    application.recorder.on("sent 1") { application.expire(1) }
    try await application.agent(over: transport).send(.get("a"))
    #expect(
      application.events == [
        begin, "sent 1", "end 1", "expired dispatch 1, attempt 1", "sent 2",
        begin, "sent 3",
        "end 2",
      ])
  }

  @Test("A task that expires while beginning is ended before the expiry is reported")
  func hasty() async throws {
    let application = SubstituteApplication(isHasty: true)
    try await application.agent(over: FunctionTransport()).send(.get("a"))
    application.expire(1)
    #expect(application.events == [begin, "end 1", "expired dispatch 1, attempt 1"])
  }

  @Test("A task that is not granted reports its expiry once, and no task is ended")
  func hastyRefusal() async throws {
    let application = SubstituteApplication(isGenerous: false, isHasty: true)
    try await application.agent(over: FunctionTransport()).send(.get("a"))
    #expect(application.events == [begin, "expired dispatch 1, attempt 1"])
  }

  @Test("A later expiry of a task that was not granted has no effect")
  func lateRefusal() async throws {
    let (application, transport) = (SubstituteApplication(isGenerous: false), GatedTransport())
    let handle = application.agent(over: transport).start(.get("a"))
    await transport.waitForRequests(1)
    application.expire(0)
    transport.open()
    try await handle.value
    #expect(application.events == [begin])
  }

  @Test("An app may cancel the dispatch at the expiry")
  func cancelledByExpiry() async throws {
    let transport = GatedTransport()
    let handle = application.agent(over: transport).start(.get("a"))
    application.recorder.on("expired dispatch 1, attempt 1") { handle.cancel() }
    await transport.waitForRequests(1)
    application.expire(1)
    await #expect(throws: RequestError.self) { try await handle.value }
    #expect(handle.state == .cancelled)
    #expect(application.events == [begin, "end 1", "expired dispatch 1, attempt 1"])
  }
}
