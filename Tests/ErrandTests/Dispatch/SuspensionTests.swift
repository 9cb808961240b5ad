import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A suspended dispatch", .timeLimit(.minutes(5)))
struct SuspensionTests {
  let recorder = Recorder()

  @Test("A dispatch suspended before the first attempt is held before sending, and continues on resume")
  func beforeSending() async throws {
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let (started, gate) = (OneTime<Bool>(), DispatchSemaphore(value: 0))
    recorder.on("accessory.willStart") {
      started.set(true)
      gate.wait()
    }
    recorder.on("accessory.attemptWillStart 1") { started.set(true) }
    let handle = agent.start(StageProbe(recorder: recorder))
    _ = try await started.wait()
    handle.suspend()
    handle.suspend()
    gate.signal()
    #expect(handle.state == .suspended)
    // The attempt is announced, and is suspended before the build.
    while !recorder.events.contains("accessory.attemptWillStart 1") { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    #expect(recorder.events == ["accessory.willStart", "accessory.attemptWillStart 1"])
    handle.resume()
    #expect(try await handle.value == "ok")
    #expect(handle.state == .succeeded)
    #expect(recorder.events.filter { $0 == "transport" }.count == 1)
  }

  @Test("A dispatch suspended in the last hook is built and not sent")
  func inHook() async throws {
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let handle = Suspended(agent, StageProbe(recorder: recorder), recorder, at: "accessory.attemptWillSend 1")
    try await handle.reached()
    for _ in 0..<100 { await Task.yield() }
    #expect(!recorder.events.contains("transport"))
    handle.handle.resume()
    #expect(try await handle.handle.value == "ok")
  }

  @Test("A dispatch suspended during the wait for a retry starts no attempt until resumed")
  func inWait() async throws {
    let clock = TestClock()
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let agent = RequestAgent.probing(recorder, [.answer(503), .answer(200)], configuration: configuration)
    let policy = RetryPolicy.upTo(1, backoff: .constant(.seconds(60)))
    let handle = agent.start(StageProbe(recorder: recorder, retryPolicy: policy))
    await clock.waitForSleepers()
    handle.suspend()
    await clock.advance(by: .seconds(60))
    while !recorder.events.contains("accessory.attemptWillStart 2") { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    #expect(recorder.events.last == "accessory.attemptWillStart 2")
    handle.resume()
    #expect(try await handle.value == "ok")
  }

  @Test("A dispatch cancelled while suspended ends at once", arguments: [true, false])
  func cancelled(_ byAgent: Bool) async throws {
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let suspended = Suspended(agent, StageProbe(recorder: recorder), recorder, at: "build")
    try await suspended.reached()
    if byAgent { agent.cancelAll() } else { suspended.handle.cancel() }
    let error = try await #require(throws: RequestError.self) { try await suspended.handle.value }
    #expect(error.kind == .cancelled)
    #expect(suspended.handle.state == .cancelled)
    #expect(!recorder.events.contains("transport"))
    #expect(agent.liveCount == 0)
  }

  @Test("The deadline continues during a suspension")
  func deadline() async throws {
    let clock = TestClock()
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let agent = RequestAgent.probing(recorder, [.answer(200)], configuration: configuration)
    let request = StageProbe(recorder: recorder).with(\.deadline, .seconds(5))
    let suspended = Suspended(agent, request, recorder, at: "build")
    try await suspended.reached()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    let error = try await #require(throws: RequestError.self) { try await suspended.handle.value }
    #expect(error.kind == .deadlineExceeded)
    #expect(!recorder.events.contains("transport"))
  }

  @Test("Resuming without a suspension, and both calls after the end, do nothing")
  func nothing() async throws {
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let handle = agent.start(StageProbe(recorder: recorder))
    handle.resume()
    #expect(try await handle.value == "ok")
    handle.suspend()
    #expect(handle.state == .succeeded)
    handle.resume()
    #expect(handle.state == .succeeded)
    #expect(try await handle.value == "ok")
  }

  @Test("A handle dropped while suspended lets the dispatch continue")
  func dropped() async throws {
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let ended = OneTime<Bool>()
    recorder.on("accessory.didStop success") { ended.set(true) }
    var suspended: Suspended? = Suspended(agent, StageProbe(recorder: recorder), recorder, at: "build")
    try await suspended?.reached()
    suspended = nil
    #expect(try await ended.wait())
  }

  @Test("A dispatch started suspended is announced, and not built until resumed", arguments: [true, false])
  func fromItsStart(_ onQueue: Bool) async throws {
    let agent = RequestAgent.probing(recorder, [.answer(200)])
    let request = StageProbe(recorder: recorder)
    let told = OneTime<String>()
    let handle =
      onQueue
      ? agent.start(request, suspended: true, on: .global()) { told.set($0.word) }
      : agent.start(request, suspended: true) { told.set($0.word) }
    #expect(handle.state == .suspended)
    while !recorder.events.contains("accessory.attemptWillStart 1") { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    #expect(recorder.events == ["accessory.willStart", "accessory.attemptWillStart 1"])
    handle.resume()
    #expect(try await handle.value == "ok")
    #expect(try await told.wait() == "success" && handle.state == .succeeded)
  }

  @Test("A suspended serial request lets later serial requests run first")
  func serial() async throws {
    let gate = GateTransport(isOpen: true)
    let agent = RequestAgent.gated(gate)
    let first = agent.start(OneOffRequest.get("first").with(\.isSerial, true), suspended: true)
    try await agent.send(OneOffRequest.get("second").with(\.isSerial, true))
    first.resume()
    try await first.value
    #expect(gate.starts == ["a.example/second", "a.example/first"])
  }

  @Test("Suspended and resumed by many threads, a dispatch continues and ends once")
  func storm() async throws {
    let chunks = (0..<200).map { Data("\($0),".utf8) }
    let agent = RequestAgent.mocked(by: MockTransport { _ in .chunks(chunks) })
    agent.maxRequestsPerOrigin = 0
    let handles = (0..<50).map { _ in agent.start(.get("x", as: String.self)) }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<20 {
        for handle in handles { (thread + round) % 2 == 0 ? handle.suspend() : handle.resume() }
      }
    }
    for handle in handles { handle.resume() }
    let whole = (0..<200).map { "\($0)," }.joined()
    for handle in handles { #expect(try await handle.value == whole) }
    #expect(agent.liveCount == 0)
  }
}
