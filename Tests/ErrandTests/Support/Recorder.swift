@testable import Errand

final class Recorder: Sendable {
  private let state = Locked(State())

  private struct State {
    var events: [String] = []
    var reactions: [String: @Sendable () -> Void] = [:]
  }

  var events: [String] { state.withLock { $0.events } }

  func add(_ event: String) {
    let reaction = state.withLock { state in
      state.events.append(event)
      return state.reactions[event]
    }
    reaction?()
  }

  /// Runs `reaction` on the recording thread.
  func on(_ event: String, _ reaction: @escaping @Sendable () -> Void) {
    state.withLock { $0.reactions[event] = reaction }
  }
}

extension Outcome {
  /// `success`, `failure status` or `cancelled`.
  var word: String {
    switch self {
    case .success: "success"
    case .failure(let error): "failure \(error.kind)"
    case .cancelled: "cancelled"
    }
  }
}
