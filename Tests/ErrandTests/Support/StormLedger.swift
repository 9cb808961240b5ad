import Dispatch

@testable import Errand

/// Counts the events of each dispatch by tag.
///
/// Actions run on a global queue after a number of events.
final class StormLedger: Accessory {
  struct Events: Sendable {
    var starts = 0
    var attemptStarts = 0
    var sendings = 0
    var attemptStops = 0
    var stops = 0
    var ends = 0
    /// The outcomes that the caller received.
    var completions = 0
    var outcome = ""
  }

  private struct State {
    var events: [Int: Events] = [:]
    var count = 0
    var actions: [Int: [@Sendable () -> Void]] = [:]
  }

  private let state = Locked(State())

  func events(of index: Int) -> Events { state.withLock { $0.events[index] ?? Events() } }

  /// On a global queue.
  func after(_ events: Int, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.actions[$0.count + events + 1, default: []].append(action) }
  }

  func requestWillStart(_ context: RequestContext) async { add(context.tag) { $0.starts += 1 } }
  func attemptWillStart(_ context: RequestContext) async { add(context.tag) { $0.attemptStarts += 1 } }
  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    add(context.tag) { $0.sendings += 1 }
  }
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    add(context.tag) { $0.attemptStops += 1 }
  }
  func requestWillStop(_ context: RequestContext) async { add(context.tag) { $0.stops += 1 } }
  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    add(context.tag) {
      $0.ends += 1
      $0.outcome = report.outcome.word
    }
  }

  func complete(_ index: Int) { add(index) { $0.completions += 1 } }

  private func add(_ index: Int, _ change: (inout Events) -> Void) {
    let actions = state.withLock { state in
      change(&state.events[index, default: Events()])
      state.count += 1
      return state.actions.removeValue(forKey: state.count) ?? []
    }
    for action in actions { DispatchQueue.global().async { action() } }
  }
}
