import Dispatch
import Foundation
import Testing

@testable import Errand

@Suite("A started request")
struct RequestHandleTests {
  struct Fetch: Request {
    typealias Response = String
    let path = "things"
  }

  static func held(_ gate: OneTime<Bool>) -> FunctionTransport {
    FunctionTransport { _, _ in
      _ = try await gate.wait()
      return HTTPResponse(body: Data("late".utf8))
    }
  }

  static func agent(_ transport: any Transport) -> RequestAgent {
    RequestAgent(baseURL: "http://example.com", transport: transport)
  }

  @Test("Any number of tasks can wait for the value, and the state is reported")
  func value() async throws {
    let gate = OneTime<Bool>()
    let handle = Self.agent(Self.held(gate)).start(Fetch())
    #expect(handle.state == .running)
    let waiters = (0..<10).map { _ in Task { try await handle.value } }
    gate.set(true)
    for waiter in waiters { #expect(try await waiter.value == "late") }
    #expect(handle.state == .succeeded)
    #expect(try await handle.value == "late")
  }

  @Test("Cancelling a waiter only ends its wait")
  func waiter() async throws {
    let gate = OneTime<Bool>()
    let agent = Self.agent(Self.held(gate))
    let handle = agent.start(Fetch())
    let waiter = Task { try await handle.value }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    #expect(handle.state == .running)
    gate.set(true)
    #expect(try await handle.value == "late")
  }

  @Test("A cancelled request yields an error of kind cancelled, and the completion gets cancelled once")
  func cancel() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.probing(recorder, [.silence])
    recorder.on("silence") { recorder.add("silent") }
    let handle = agent.start(StageProbe(recorder: recorder)) { recorder.add("completion \($0.word)") }
    handle.cancel()
    handle.cancel()
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .cancelled)
    #expect(error.reason == "the request was cancelled")
    #expect(handle.state == .cancelled)
    handle.cancel()
    #expect(recorder.events.filter { $0.hasPrefix("completion") } == ["completion cancelled"])
    #expect(agent.liveCount == 0)
  }

  @Test("cancelAll ends every dispatch as cancelled")
  func cancelAll() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.probing(recorder, [.silence])
    agent.maxRequestsPerOrigin = 0
    let handles = (0..<20).map { _ in agent.start(StageProbe(recorder: recorder)) }
    #expect(agent.liveCount == 20)
    agent.cancelAll()
    for handle in handles {
      let error = try await #require(throws: RequestError.self) { try await handle.value }
      #expect(error.reason == "the agent cancelled all its requests")
    }
    #expect(agent.liveCount == 0)
    #expect(recorder.events.filter { $0 == "accessory.didStop cancelled" }.count == 20)
    #expect(recorder.events.filter { $0 == "accessory.willStart" }.count == 20)
  }

  @Test("A request cancelled from many threads at once ends once, with a single completion")
  func cancelStorm() async throws {
    let recorder = Recorder()
    let agent = RequestAgent.probing(recorder, [.silence])
    agent.maxRequestsPerOrigin = 0
    let handles = (0..<50).map { number in
      agent.start(StageProbe(recorder: recorder), on: .global()) { recorder.add("\(number) \($0.word)") }
    }
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for handle in handles { handle.cancel() }
    }
    for (number, handle) in handles.enumerated() {
      let error = try await #require(throws: RequestError.self) { try await handle.value }
      #expect(error.kind == .cancelled)
      #expect(recorder.events.filter { $0.hasPrefix("\(number) ") } == ["\(number) cancelled"])
    }
    #expect(recorder.events.filter { $0 == "accessory.didStop cancelled" }.count == 50)
    #expect(!recorder.events.contains { $0.contains(".filter ") })
    #expect(agent.liveCount == 0)
  }

  @Test("Cancelling random waiters only ends their waits")
  func waiterStorm() async throws {
    let gate = OneTime<Bool>()
    let handle = Self.agent(Self.held(gate)).start(Fetch())
    let waiters = (0..<200).map { _ in Task { try await handle.value } }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for index in stride(from: thread, to: 100, by: 4) { waiters[2 * index].cancel() }
    }
    for index in stride(from: 0, to: 200, by: 2) {
      await #expect(throws: CancellationError.self) { try await waiters[index].value }
    }
    #expect(handle.state == .running)
    gate.set(true)
    for index in stride(from: 1, to: 200, by: 2) { #expect(try await waiters[index].value == "late") }
  }

  @Test("The dispatch of a dropped handle continues, unless the handle cancels on deinit")
  func release() async throws {
    let recorder = Recorder()
    let stopped = OneTime<String>()
    let gate = OneTime<Bool>()
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: Self.held(gate),
      accessories: [EventAccessory(didStop: { report, _ in stopped.set(report.outcome.word) })])
    agent.start(Fetch())
    gate.set(true)
    #expect(try await stopped.wait() == "success")

    let silent = RequestAgent.probing(recorder, [.silence])
    let cancelled = OneTime<String>()
    do {
      let handle = silent.start(StageProbe(recorder: recorder)) { cancelled.set($0.word) }
      handle.cancelOnRelease()
    }
    #expect(try await cancelled.wait() == "cancelled")
  }

  @Test("The captures of a completion are freed after its run, although the caller keeps nothing")
  func captured() async throws {
    final class Captured: Sendable {}
    let stopped = OneTime<Bool>()
    weak var captured: Captured?
    var agent: RequestAgent? = RequestAgent(
      baseURL: "http://example.com", transport: FunctionTransport(),
      accessories: [EventAccessory(didStop: { _, _ in stopped.set(true) })])
    weak let released = agent
    let ran = OneTime<Bool>()
    do {
      let object = Captured()
      captured = object
      agent?.start(Fetch(), on: DispatchQueue(label: "test")) { _ in
        withExtendedLifetime(object) { ran.set(true) }
      }
    }
    agent = nil
    _ = try await ran.wait()
    _ = try await stopped.wait()
    // The task of the dispatch releases its objects shortly after the last event.
    while captured != nil || released != nil { await Task.yield() }
  }

  @Test("The completion runs on the named queue")
  func queue() async throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "callbacks")
    queue.setSpecific(key: key, value: "callbacks")
    let label = OneTime<String?>()
    let handle = Self.agent(FunctionTransport()).start(Fetch(), on: queue) { _ in
      label.set(DispatchQueue.getSpecific(key: key))
    }
    _ = try await handle.value
    #expect(label.value == "callbacks")
  }

  @Test("A request or a group ends after its completion, so a suspended queue delays the end")
  func heldQueue() async throws {
    let recorder = Recorder()
    let queue = DispatchQueue(label: "held")
    let accessory = EventAccessory(
      willStop: { _ in recorder.add("will stop") }, didStop: { _, _ in recorder.add("did stop") })
    let agent = Self.agent(FunctionTransport())
    let others = Self.agent(FunctionTransport())
    queue.suspend()
    let handle = agent.start(Fetch().with(\.accessories, [accessory]), on: queue) { _ in
      recorder.add("completion")
    }
    await until { recorder.events.contains("will stop") }
    for _ in 0..<100 { _ = try await others.send(Fetch()) }
    #expect(recorder.events == ["will stop"] && handle.state == .running && agent.liveCount == 1)
    queue.resume()
    _ = try await handle.value
    #expect(recorder.events == ["will stop", "completion", "did stop"])

    let group = Recorder()
    var batch = BatchRequest(Fetch())
    batch.accessories = [GroupDiary(recorder: group)]
    queue.suspend()
    let groupHandle = agent.start(batch, on: queue) { _ in group.add("completion") }
    await until { group.events.contains("willStop 1/1") }
    for _ in 0..<100 { _ = try await others.send(Fetch()) }
    #expect(group.events.last == "willStop 1/1")
    queue.resume()
    _ = try await groupHandle.value
    #expect(group.events.suffix(3) == ["willStop 1/1", "completion", "didStop success: success"])
  }

  @Test("The handle and the completion get the same error")
  func failure() async throws {
    let agent = Self.agent(FunctionTransport { _, _ in HTTPResponse(status: 404) })
    let seen = OneTime<HTTPResponse.Status?>()
    let handle = agent.start(Fetch()) { seen.set($0.error?.status) }
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.status == 404)
    #expect(seen.value == .some(404))
    #expect(handle.state == .failed)
  }
}
