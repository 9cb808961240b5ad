import Dispatch

@testable import Errand

/// Cancelled by a task, a handle or the agent.
final class Running: Sendable {
  private let agent: RequestAgent
  private let request: StageProbe
  private let canceller: CancellationTests.Canceller
  private let cancellation = Locked<(@Sendable () -> Void)?>(nil)
  private let isReady = DispatchSemaphore(value: 0)

  init(_ agent: RequestAgent, _ request: StageProbe, _ canceller: CancellationTests.Canceller) {
    self.agent = agent
    self.request = request
    self.canceller = canceller
  }

  /// Waits until `value` has stored the cancellation, which happens without suspension.
  func cancel() {
    isReady.wait()
    let cancel = cancellation.withLock { $0 }
    cancel?()
  }

  var value: String {
    get async throws {
      switch canceller {
      case .task:
        let task = Task { [agent, request] in try await agent.send(request) }
        ready { task.cancel() }
        return try await task.value
      case .agent:
        ready { [agent] in agent.cancelAll() }
        return try await agent.send(request)
      case .handle:
        let handle = agent.start(request)
        ready { handle.cancel() }
        return try await handle.value
      }
    }
  }

  private func ready(_ cancel: @escaping @Sendable () -> Void) {
    cancellation.withLock { $0 = cancel }
    isReady.signal()
  }
}
