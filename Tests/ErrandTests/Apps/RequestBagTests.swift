import ErrandMocks
import Foundation
import TestSupport
import Testing

@testable import Errand
@testable import ErrandApps

@Suite("Requests bound to an owner", .timeLimit(.minutes(5)))
struct RequestBagTests {
  private struct Fetch: Request {
    typealias Response = String
  }

  private final class Owner: Sendable {
    let requests = RequestBag()
  }

  @Test("The owner's release cancels bound requests without any handle, and ended requests are removed")
  func released() async throws {
    let transport = GatedTransport()
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: transport)
    let quick = RequestAgent.mocked(by: MockTransport { _ in .text("done") })
    let ends = Recorder()
    let (first, second) = (OneTime<Void>(), OneTime<Void>())
    weak var gone: Owner?
    do {
      let owner = Owner()
      gone = owner
      let ended = quick.start(Fetch()).bound(to: owner.requests)
      #expect(try await ended.value == "done")
      while owner.requests.count > 0 { await Task.yield() }
      for (index, end) in [first, second].enumerated() {
        agent.start(Fetch(), on: DispatchQueue(label: "test")) { [weak owner] outcome in
          ends.add("\(outcome.word) \(owner == nil ? "gone" : "there")")
          end.set(())
        }.bound(to: owner.requests)
        await transport.waitForRequests(index + 1)
      }
      #expect(owner.requests.count == 2)
    }
    #expect(gone == nil)
    try await first.wait()
    try await second.wait()
    #expect(ends.events == ["cancelled gone", "cancelled gone"])
    while agent.liveCount > 0 { await Task.yield() }
  }

  @Test("Bound requests can be cancelled earlier, and further requests bound later")
  func cancelAll() async throws {
    let transport = GatedTransport()
    let agent = RequestAgent(baseURL: "https://mocked.example", transport: transport)
    let bag = RequestBag()
    let first = agent.start(Fetch()).bound(to: bag)
    await transport.waitForRequests(1)
    bag.cancelAll()
    bag.cancelAll()
    #expect(try await #require(throws: RequestError.self) { try await first.value }.isCancelled)
    let second = agent.start(Fetch()).bound(to: bag)
    #expect(bag.count == 1)
    transport.open()
    #expect(try await second.value == "")
    while bag.count > 0 { await Task.yield() }
  }

  @Test("A request bound after its end is not kept")
  func late() async throws {
    let handle = RequestAgent.mocked(by: MockTransport { _ in .text("done") }).start(Fetch())
    _ = try await handle.value
    let bag = RequestBag()
    handle.bound(to: bag)
    while bag.count > 0 { await Task.yield() }
    #expect(handle.state == .succeeded)
  }
}

@Suite("A dropped completion", .timeLimit(.minutes(5)))
struct DroppedCompletionTests {
  private final class Captured: Sendable {}

  @Test("A dropped completion is freed at once and not called, and the server gets the request once")
  func dropped() async throws {
    let server = try MockServer()
    server.route(.get, "/a", answers: .text("done").delayed(by: .milliseconds(50)))
    let events = Recorder()
    let stopped = OneTime<Void>()
    let agent = RequestAgent(
      baseURL: server.baseURL,
      accessories: [
        EventAccessory(
          willStart: { _ in events.add("start") },
          didStop: { report, _ in
            events.add("stop \(report.outcome.word)")
            stopped.set(())
          })
      ])
    weak var captured: Captured?
    let handle: RequestHandle<String>
    do {
      let object = Captured()
      captured = object
      handle = agent.start(.get("a", as: String.self), on: DispatchQueue(label: "test")) { _ in
        withExtendedLifetime(object) { events.add("completion") }
      }
    }
    #expect(captured != nil)
    #expect(handle.dropCompletion())
    #expect(captured == nil)
    #expect(!handle.dropCompletion())
    #expect(try await handle.value == "done")
    try await stopped.wait()
    #expect(events.events == ["start", "stop success"])
    #expect(server.requests.map(\.target) == ["/a"])
  }

  @Test("A called completion cannot be dropped, and a request without a completion has none to drop")
  func called() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("done") })
    let ran = OneTime<Void>()
    let handle = agent.start(.get("a", as: String.self), on: DispatchQueue(label: "test")) { _ in ran.set(())
    }
    try await ran.wait()
    #expect(!handle.dropCompletion())
    let silent = agent.start(.get("a", as: String.self))
    #expect(!silent.dropCompletion())
    #expect(try await silent.value == "done")
  }

  @Test("A completion dropped during its call is called at most once, and the result says which")
  func race() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("done") })
    for _ in 0..<200 {
      let calls = Locked(0)
      let handle = agent.start(.get("a", as: String.self), on: .global()) { _ in calls.withLock { $0 += 1 } }
      let dropping = Task.detached { handle.dropCompletion() }
      #expect(try await handle.value == "done")
      let wasDropped = await dropping.value
      let count = calls.withLock { $0 }
      #expect(count == (wasDropped ? 0 : 1))
    }
  }
}
