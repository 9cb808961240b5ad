import Errand
import ErrandLogs
import ErrandMocks
import Foundation
import Testing

@Suite("The replay of a session")
struct SessionReplayTests {
  let folder = RecordingFolder()

  @Test("The log of a HAR logger replays attempt by attempt, without the server")
  func replayed() async throws {
    let file = folder.file("session.har")
    let logger = HARLogger(file)
    let request = OneOffRequest<String>.get("a?token=s3cret", as: String.self).with(
      \.retryPolicy, .upTo(1, backoff: .constant(.zero)))
    let live = RequestAgent.mocked(
      Stub(.get, "/a", answers: .status(503), .status(302).header("Location", "/b?id=1")),
      Stub(.get, "/b", answers: .text("over there").header("X-A", "1")), accessories: [logger])
    #expect(try await live.send(request) == "over there")
    try await logger.flush()

    let offline = MockTransport { _ in throw TransportError(.connectionFailed, "there is no server") }
    let replay = try RecordingTransport(file, over: offline)
    let received = try await RequestAgent(baseURL: "https://mocked.example", transport: replay).response(
      for: request)
    #expect(received.value == "over there" && received.response.headers["X-A"] == "1")
    #expect(received.report.attempts.map { $0.response?.status } == [503, 200])
    #expect(received.report.attempts.last?.redirects.count == 1)
    try replay.checkAllUsed()
  }
}
