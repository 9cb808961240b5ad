public import Errand

/// The state of a request, for a view.
public enum RequestState<Value: Sendable>: Sendable {
  /// The request was not sent, or was cancelled.
  case idle
  /// The request is running, with the progress of the request body and the response body.
  case running(TransferProgress)
  /// The request succeeded with a value.
  case succeeded(Value)
  /// The request failed with an error.
  case failed(RequestError)

  /// True if the request is running.
  public var isRunning: Bool { if case .running = self { true } else { false } }
  /// The progress of the bodies; `nil` unless the request is running.
  public var progress: TransferProgress? { if case .running(let progress) = self { progress } else { nil } }
  /// The value of a success; `nil` in other states.
  public var value: Value? { if case .succeeded(let value) = self { value } else { nil } }
  /// The error of a failure; `nil` in other states.
  public var error: RequestError? { if case .failed(let error) = self { error } else { nil } }
}

extension RequestState: Equatable where Value: Equatable {
  /// Compares two states.
  ///
  /// Errors are equal if their descriptions are equal.
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
  /// The states of the dispatch, for example for a view that stores the state.
  ///
  /// ```swift
  /// for await state in agent.start(GetUser(id: 7)).states { self.state = state }
  /// ```
  ///
  /// The last element is the outcome; after a cancellation of the dispatch, ``RequestState/idle``.
  /// If the task of the loop is cancelled, the loop may end earlier.
  public var states: Updates<RequestState<Value>> {
    updates(running: { .running($0) }, ended: { RequestState($0) })
  }
}
