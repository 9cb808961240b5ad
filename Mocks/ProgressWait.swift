import Errand

/// Waits without progress, which a transport allows for a request's timeout and no longer.
struct ProgressWait: Sendable {
  let clock: AgentClock
  let timeout: Duration

  /// What a request fails with when its timeout is over.
  var timedOut: TransportError { TransportError(.timedOut, "there was no progress for \(timeout)") }

  /// Waits; throws when the task is cancelled, and after the timeout when that is shorter.
  func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    guard duration <= timeout else { return try await stall() }
    try await clock.sleep(duration)
  }

  /// Waits for the timeout, and throws.
  func stall() async throws {
    try await clock.sleep(timeout)
    throw timedOut
  }
}
