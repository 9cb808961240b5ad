import BenchSupport
import Errand

/// Dispatches that wait for the slots of one origin.
///
/// The number of dispatches is the number of requests of the run.
final class Queue: Sendable {
  private let agent = RequestAgent(baseURL: "http://127.0.0.1:8080", transport: SilentTransport())
  private let count: Int
  /// True if the dispatches get slots, and wait for the transport instead.
  private let isOpen: Bool

  init(_ options: Options) {
    count = options.requests
    isOpen = options.variant == "running"
    if isOpen { agent.maxRequestsPerOrigin = 0 }
  }

  /// Starts the dispatches.
  ///
  /// Returns when all have started to wait, except the ten dispatches with a slot.
  func fill() async throws {
    for _ in 0..<count + agent.maxRequestsPerOrigin { agent.start(GetBytes(path: "person.json")) }
    while (isOpen ? agent.runningCount : agent.waitingCount) < count {
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Cancels all dispatches, and checks that no dispatch waits for a slot.
  func cancel() throws {
    agent.cancelAll()
    if agent.waitingCount > 0 { fail("somebody waits") }
  }

  /// Cancels all dispatches, and returns when every dispatch has ended.
  func end() async throws {
    agent.cancelAll()
    while agent.liveCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Sends no response until the request is cancelled.
private struct SilentTransport: Transport {
  let capabilities = TransportCapabilities()

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    await withCheckedContinuation { ended in
      request.cancellation.onCancel { ended.resume() }
    }
    throw TransportError.cancelled
  }
}
