/// How a dispatch ended.
public enum Outcome<Value: Sendable>: Sendable {
  /// With a value.
  case success(Value)
  /// With an error.
  indirect case failure(RequestError)
  /// Cancelled: by the caller's task, by the handle, or by the agent.
  case cancelled

  /// The value of a success.
  public var value: Value? { if case .success(let value) = self { value } else { nil } }

  /// The error of a failure.
  public var error: RequestError? { if case .failure(let error) = self { error } else { nil } }

  /// Whether it was cancelled.
  public var isCancelled: Bool { if case .cancelled = self { true } else { false } }

  /// The same outcome with another value.
  public func map<Mapped: Sendable>(_ transform: (Value) throws -> Mapped) rethrows -> Outcome<Mapped> {
    switch self {
    case .success(let value): .success(try transform(value))
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }
}

extension Outcome: PrintedByDescription {
  /// `success`, `failure` with the error's text, or `cancelled`; never the value.
  public var description: String {
    switch self {
    case .success: "success"
    case .failure(let error): "failure: \(error)"
    case .cancelled: "cancelled"
    }
  }
}
