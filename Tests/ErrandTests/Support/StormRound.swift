import Foundation

@testable import Errand

/// The hook may cancel the request.
struct StormRequest: Request {
  typealias Response = Data
  let path: String
  let tag: Int
  var inHook: (@Sendable () -> Void)?

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws { inHook?() }
}

/// Starts all dispatches, and waits for every end.
struct StormRound: Sendable {
  let agent: RequestAgent
  let ledger: StormLedger
  let moments: [StormMoment]

  func run() async {
    await withTaskGroup(of: Void.self) { group in
      for moments in moments.chunks(of: 250) {
        for moment in moments where isTask(moment) { group.addTask { await sendCancelled(moment) } }
        let handles = moments.filter { !isTask($0) }.map { ($0, start($0)) }
        for (moment, handle) in handles {
          if case .later(let events) = moment.place { ledger.after(events) { handle.cancel() } }
        }
        for (moment, handle) in handles {
          group.addTask {
            _ = try? await handle.value
            ledger.complete(moment.index)
          }
        }
        // The next dispatches start while the last of these dispatches still run.
        for _ in 0..<200 { await group.next() }
      }
    }
  }

  private func isTask(_ moment: StormMoment) -> Bool {
    if case .beforeTheCall = moment.place { true } else { false }
  }

  private func sendCancelled(_ moment: StormMoment) async {
    withUnsafeCurrentTask { $0?.cancel() }
    _ = try? await agent.send(StormRequest(path: moment.path, tag: moment.index))
    ledger.complete(moment.index)
  }

  private func start(_ moment: StormMoment) -> RequestHandle<Data> {
    guard case .inHook = moment.place else {
      return agent.start(StormRequest(path: moment.path, tag: moment.index))
    }
    let (box, isReady) = (Locked<RequestHandle<Data>?>(nil), DispatchSemaphore(value: 0))
    let request = StormRequest(path: moment.path, tag: moment.index) {
      isReady.wait()
      box.withLock { $0 }?.cancel()
    }
    let handle = agent.start(request)
    box.withLock { $0 = handle }
    isReady.signal()
    return handle
  }
}

extension Array {
  fileprivate func chunks(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
