import Foundation
import Testing

@testable import Errand

@Suite("An accessory of closures")
struct EventAccessoryTests {
  static func recording(_ recorder: Recorder, _ name: String) -> EventAccessory {
    EventAccessory(
      willStart: { recorder.add("\(name) willStart \($0.id)") },
      willSend: { request, context in recorder.add("\(name) willSend \(request.url) \(context.attempt)") },
      attemptStopped: { attempt, _ in recorder.add("\(name) attemptStopped \(attempt.number)") },
      willStop: { recorder.add("\(name) willStop \($0.attempt)") },
      didStop: { report, _ in recorder.add("\(name) didStop \(report.outcome.word)") })
  }

  @Test("Each closure is called at its event, the agent's accessories before the request's, in list order")
  func order() async throws {
    let recorder = Recorder()
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: FunctionTransport(),
      accessories: [Self.recording(recorder, "agent"), Self.recording(recorder, "second")])
    try await agent.send(.get("a").with(\.accessories, [Self.recording(recorder, "own")]))
    let events = [
      "willStart 1", "willSend http://example.com/a 1", "attemptStopped 1", "willStop 1", "didStop success",
    ]
    #expect(
      recorder.events == events.flatMap { event in ["agent", "second", "own"].map { "\($0) \(event)" } })
  }

  @Test("Omitted closures do nothing, and an accessory can watch many requests")
  func shared() async throws {
    let recorder = Recorder()
    let accessory = EventAccessory(didStop: { report, _ in recorder.add("\(report.id)") })
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: FunctionTransport(), accessories: [accessory])
    for _ in 1...3 { try await agent.send(.get("a")) }
    #expect(recorder.events == ["1", "2", "3"])
  }
}
