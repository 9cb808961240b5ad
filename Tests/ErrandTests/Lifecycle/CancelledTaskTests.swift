import Foundation
import Testing

@testable import Errand

@Suite("A cancelled task whose signal has not been told yet")
struct CancelledTaskTests {
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
    let ended = await Task { await agent.run(dispatch, completion: nil) }.value
    #expect(ended.outcome.isCancelled)
    #expect(ended.source == .task)
    #expect(recorder.events.contains("request.preprocess cancelled"))
    #expect(!recorder.events.contains("request.retryDecision hook"))
  }
}
