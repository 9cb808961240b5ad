/// How far a request is, for a view.
public enum RequestState<Value: Sendable>: Sendable {
  /// It was not sent, or was cancelled.
  case idle
  /// It is under way; how far its bodies are is in the progress.
  case running(TransferProgress)
  /// It has its value.
  case succeeded(Value)
  /// It has failed.
  case failed(RequestError)

  /// Whether it is under way.
  public var isRunning: Bool { if case .running = self { true } else { false } }
  /// How far its bodies are; `nil` where it is not under way.
  public var progress: TransferProgress? { if case .running(let progress) = self { progress } else { nil } }
  /// Its value; `nil` where it has none.
  public var value: Value? { if case .succeeded(let value) = self { value } else { nil } }
  /// What it failed with; `nil` where it did not.
  public var error: RequestError? { if case .failed(let error) = self { error } else { nil } }
}

extension RequestState: Equatable where Value: Equatable {
  /// Errors are the same where they read the same.
  public static func == (a: RequestState, b: RequestState) -> Bool {
    switch (a, b) {
    case (.idle, .idle): true
    case (.running(let a), .running(let b)): a == b
    case (.succeeded(let a), .succeeded(let b)): a == b
    case (.failed(let a), .failed(let b)): a.description == b.description
    default: false
    }
  }
}

extension RequestState {
  /// How a dispatch ended; cancelled, it is as before it was sent.
  init(_ outcome: Outcome<Value>) {
    self =
      switch outcome {
      case .success(let value): .succeeded(value)
      case .failure(let error): .failed(error)
      case .cancelled: .idle
      }
  }
}

extension RequestHandle {
  /// How the dispatch goes on and ends, for a view that keeps the state it shows.
  ///
  /// ```swift
  /// for await state in agent.start(GetUser(id: 7)).states { self.state = state }
  /// ```
  ///
  /// First ``RequestState/running(_:)`` as it is now, at last how it ended, which is ``RequestState/idle`` where it was cancelled. A slow loop
  /// misses progress between, and never the end. A loop whose task is cancelled ends; the dispatch goes on. The handle is not kept.
  public var states: Updates<RequestState<Value>> {
    let (progress, end) = (self.progress, self.end)
    return Updates(
      read: { .running(progress.read()) },
      isSame: { old, new in
        guard let old = old.progress, let new = new.progress else { return false }
        return progress.isSame(old, new)
      }, changes: progress.changes, last: { (try? await end.wait()).map { RequestState($0.outcome) } })
  }
}
