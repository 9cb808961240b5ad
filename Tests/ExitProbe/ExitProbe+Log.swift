import Errand
import ErrandLogs
import ErrandMocks
import Foundation

extension ExitProbe {
  /// Logs dispatches, four at the same time, to pages and a HAR file, until the process is killed.
  ///
  /// `time` is the number of microseconds from the first dispatch to the kill. With 0, the process logs 40
  /// dispatches and ends normally.
  static func log(in folder: String, killedAfter time: UInt32) async throws {
    let directory = URL(fileURLWithPath: folder)
    var limits = HTMLLogger.Limits()
    (limits.runs, limits.exchangesPerPage) = (2, 100)
    let page = HTMLLogger(directory: directory, name: "kill", limits: limits)
    let session = HARLogger(directory.appendingPathComponent("session.har"))
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: MockTransport { answer(to: $0) },
      accessories: [page, session])
    _ = try await agent.send(OneOffRequest<Data>.get("0", as: Data.self))
    await page.flush()
    if time > 0 {
      Thread.detachNewThread {
        usleep(time)
        kill(getpid(), SIGKILL)
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for number in 0..<(time > 0 ? .max : 10) {
            _ = try await agent.send(OneOffRequest<Data>.get("\(number)", as: Data.self))
            // Waits for the log, so no event is dropped. Dropped events cannot be cut.
            if number % 8 == 0 { await page.flush() }
          }
        }
      }
      try await group.waitForAll()
    }
    await page.flush()
    try await session.flush()
  }

  /// Returns a response.
  ///
  /// Some responses are longer than one write of the system.
  private static func answer(to request: ReceivedRequest) -> MockAnswer {
    let count = (Int(request.path.split(separator: "/").last ?? "") ?? 0) % 7 * 4_000
    return .text("[\(String(repeating: "a<b>&", count: count / 5))]")
  }
}
