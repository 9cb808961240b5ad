import Foundation
import Testing

@testable import Errand

@Suite("Cancellation between two steps")
struct CancellationBetweenStepsTests {
  /// Cancels its own task, then checks for cancellation like a polling hook.
  struct Polling: RequestHooks {
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      withUnsafeCurrentTask { $0?.cancel() }
      try Task.checkCancellation()
    }
  }

  @Test("An error thrown by a hook because of its task's cancellation is a cancellation, not a failure")
  func polling() async {
    let recorder = Recorder()
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: ProbeTransport(recorder, [.answer(200)]), hooks: [Polling()],
      accessories: [RecordingAccessory(recorder: recorder)])
    let ended = await run(StageProbe(recorder: recorder), on: agent)
    #expect(ended.outcome.isCancelled)
    #expect(ended.source == .task)
    #expect(recorder.events.contains("request.preprocess cancelled"))
    #expect(!recorder.events.contains("request.retryDecision hook"))
  }

  /// Without the cancellation handler of `send`.
  private func run<R: Request>(_ request: R, on agent: RequestAgent) async -> EndedDispatch<R.Response> {
    let dispatch = Dispatch(request, agent: agent, entry: agent.inFlight.enter())
    return await Task {
      var state = DispatchState()
      let outcome = await dispatch.run(&state)
      return dispatch.ended(outcome, on: state)
    }.value
  }

  @Test("A task cancelled in preprocess turns a success into cancelled, also before its handler runs")
  func preprocess() async {
    let recorder = Recorder()
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: ProbeTransport(recorder, [.answer(200)]))
    recorder.on("request.preprocess success") { withUnsafeCurrentTask { $0?.cancel() } }
    let ended = await run(StageProbe(recorder: recorder), on: agent)
    #expect(ended.outcome.isCancelled && ended.source == .task)
    #expect(recorder.events.suffix(2) == ["request.filter success", "request.completed cancelled"])
  }

  @Test("After a cancellation in the last hook, no accessory gets attemptWillSend")
  func willSend() async {
    let recorder = Recorder()
    let transport = ProbeTransport(recorder, [.answer(200)])
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: transport,
      accessories: [RecordingAccessory(recorder: recorder)])
    recorder.on("request.filterRequest 1") { agent.cancelAll() }
    await #expect(throws: RequestError.self) { try await agent.send(StageProbe(recorder: recorder)) }
    #expect(
      recorder.events == [
        "accessory.willStart", "accessory.attemptWillStart 1", "build", "request.filterRequest 1",
        "accessory.attemptDidStop 1", "request.preprocess cancelled", "accessory.willStop",
        "request.completed cancelled", "accessory.didStop cancelled",
      ])
  }

  func events(cancelledAt event: String, _ reply: ProbeTransport.Step) async -> [String] {
    let recorder = Recorder()
    let agent = RequestAgent(baseURL: "http://example.com", transport: ProbeTransport(recorder, [reply]))
    recorder.on(event) { agent.cancelAll() }
    await #expect(throws: RequestError.self) { try await agent.send(StageProbe(recorder: recorder)) }
    return recorder.events
  }

  @Test("After a cancellation before the head, no validator runs")
  func head() async {
    let events = await events(cancelledAt: "transport", .answer(200))
    #expect(
      events == [
        "build", "request.filterRequest 1", "transport", "request.preprocess cancelled",
        "request.completed cancelled",
      ])
  }

  @Test("After a cancellation in the last filterResponse, nothing is decoded")
  func filterResponse() async {
    let events = await events(cancelledAt: "request.filterResponse 1", .answer(200))
    #expect(
      events == [
        "build", "request.filterRequest 1", "transport", "validate.head 1", "validate.body 1",
        "request.filterResponse 1", "request.preprocess cancelled", "request.completed cancelled",
      ])
  }

  @Test("After a cancellation during the retry decision, the outcome hooks get cancelled")
  func retryDecision() async {
    let events = await events(cancelledAt: "request.retryDecision status", .answer(500))
    #expect(
      events == [
        "build", "request.filterRequest 1", "transport", "request.retryDecision status",
        "request.preprocess cancelled", "request.completed cancelled",
      ])
  }
}
