import Dispatch

@testable import Errand

final class RunningGroup<G: RequestGroup>: Sendable {
  private let agent: RequestAgent
  private let group: G
  private let canceller: CancellationTests.Canceller
  private let cancellation = Locked<(@Sendable () -> Void)?>(nil)
  private let isReady = DispatchSemaphore(value: 0)

  init(_ agent: RequestAgent, _ group: G, _ canceller: CancellationTests.Canceller) {
    self.agent = agent
    self.group = group
    self.canceller = canceller
  }

  /// Waits until `value` has stored the cancellation.
  func cancel() {
    isReady.wait()
    let cancel = cancellation.withLock { $0 }
    cancel?()
  }

  var value: G.Results {
    get async throws {
      switch canceller {
      case .task:
        let task = Task { [agent, group] in try await agent.send(group) }
        ready { task.cancel() }
        return try await task.value
      case .agent:
        ready { [agent] in agent.cancelAll() }
        return try await agent.send(group)
      case .handle:
        let handle = agent.start(group)
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
