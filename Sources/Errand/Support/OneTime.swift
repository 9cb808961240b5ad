/// A value that is set at most once.
///
/// Any number of tasks can wait for the value.
final class OneTime<Value: Sendable>: Sendable {
  private enum Waiter {
    case waiting(CheckedContinuation<Void, Never>)
    case abandoned
  }

  private struct State {
    var value: Value?
    var last = 0
    var waiters: [Int: Waiter] = [:]
  }

  private let state = Locked(State())

  var value: Value? { state.withLock { $0.value } }

  func set(_ value: Value) {
    let waiters: [Waiter] = state.withLock { state in
      guard state.value == nil else { return [] }
      state.value = value
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for case .waiting(let continuation) in waiters { continuation.resume() }
  }

  /// Waits for the value.
  ///
  /// Throws `CancellationError` if the task is cancelled before the value is set.
  func wait() async throws -> Value {
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { enlist($0, id: id) }
    } onCancel: {
      abandon(id)
    }
    guard let value else { throw CancellationError() }
    return value
  }

  private func enlist(_ continuation: CheckedContinuation<Void, Never>, id: Int) {
    let isOver = state.withLock { state in
      if state.value != nil || state.waiters.removeValue(forKey: id) != nil { return true }
      state.waiters[id] = .waiting(continuation)
      return false
    }
    if isOver { continuation.resume() }
  }

  private func abandon(_ id: Int) {
    let continuation: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard state.value == nil else { return nil }
      if case .waiting(let continuation) = state.waiters.removeValue(forKey: id) { return continuation }
      state.waiters[id] = .abandoned
      return nil
    }
    continuation?.resume()
  }
}
