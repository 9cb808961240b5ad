import BenchSupport
import Errand

/// Dispatches that wait for the slots of one origin, as many as the run has requests.
final class Queue: Sendable {
  private let agent = RequestAgent(baseURL: "http://127.0.0.1:8080", transport: SilentTransport())
  private let count: Int
  /// Whether they run instead, and wait for the transport.
  private let isOpen: Bool

  init(_ options: Options) {
    count = options.requests
    isOpen = options.variant == "running"
    if isOpen { agent.maxRequestsPerOrigin = 0 }
  }

  /// Starts them, and returns when all wait but the ten that have a slot.
  func fill() async throws {
    for _ in 0..<count + agent.maxRequestsPerOrigin { agent.start(GetBytes(path: "person.json")) }
    while (isOpen ? agent.runningCount : agent.waitingCount) < count {
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Cancels all, and returns when nobody waits.
  func cancel() throws {
    agent.cancelAll()
    if agent.waitingCount > 0 { fail("somebody waits") }
  }

  /// Cancels all, and returns when every one has ended.
  func end() async throws {
    agent.cancelAll()
    while agent.liveCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Answers nothing until it is cancelled.
private struct SilentTransport: Transport {
  let capabilities = TransportCapabilities()

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    await withCheckedContinuation { ended in
      request.cancellation.onCancel { ended.resume() }
    }
    throw TransportError.cancelled
  }
}
