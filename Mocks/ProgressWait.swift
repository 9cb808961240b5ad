import Errand

/// Waits without progress, which a transport allows for a request's timeout and no longer.
struct ProgressWait: Sendable {
  let clock: any Clock<Duration>
  let timeout: Duration

  /// Waits; throws when the task is cancelled, and after the timeout when that is shorter.
  func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    try await clock.sleep(for: min(duration, timeout))
    if duration > timeout {
      throw TransportError(.timedOut, "there was no progress for \(timeout)")
    }
  }
}
