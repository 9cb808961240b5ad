import Dispatch

@testable import Errand

final class Suspended: Sendable {
  let handle: RequestHandle<String>
  private let isSuspended = OneTime<Bool>()

  init<R: Request>(_ agent: RequestAgent, _ request: R, _ recorder: Recorder, at event: String)
  where R.Response == String {
    let handle = Locked<RequestHandle<String>?>(nil)
    let isReady = DispatchSemaphore(value: 0)
    recorder.on(event) { [isSuspended] in
      isReady.wait()
      handle.withLock { handle in
        handle?.suspend()
        handle = nil
      }
      isSuspended.set(true)
    }
    let started = agent.start(request)
    self.handle = started
    handle.withLock { $0 = started }
    isReady.signal()
  }

  func reached() async throws { _ = try await isSuspended.wait() }
}
