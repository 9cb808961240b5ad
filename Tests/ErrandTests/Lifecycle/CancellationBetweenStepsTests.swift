import Foundation
import Testing

@testable import Errand

@Suite("Cancellation between two steps")
struct CancellationBetweenStepsTests {
  /// Cancels the task it runs in and finds it cancelled, as a hook that polls does.
  struct Polling: RequestHooks {
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      withUnsafeCurrentTask { $0?.cancel() }
      try Task.checkCancellation()
    }
  }

  @Test("What a hook throws because its task is cancelled is a cancellation, not a failure of the hook")
  func polling() async {
    let recorder = Recorder()
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: ProbeTransport(recorder, [.answer(200)]), hooks: [Polling()],
      accessories: [RecordingAccessory(recorder: recorder)])
    // `run` without the cancellation handler of `send`: the moment between the task's flag and the handler.
    let dispatch = Dispatch(StageProbe(recorder: recorder), agent: agent, entry: agent.inFlight.enter())
    let ended = await Task {
      var ledger = Ledger()
      let outcome = await agent.run(dispatch, &ledger, completion: nil)
      return dispatch.ended(outcome, ledger)
    }.value
    #expect(ended.outcome.isCancelled)
    #expect(ended.source == .task)
    #expect(recorder.events.contains("request.preprocess cancelled"))
    #expect(!recorder.events.contains("request.retryDecision hook"))
  }

  @Test("Cancelled in the last hook before the wire, nobody is told that it will be sent")
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
}
