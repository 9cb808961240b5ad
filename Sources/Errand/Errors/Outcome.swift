/// The result of a dispatch or a group.
public enum Outcome<Value: Sendable>: Sendable {
  /// A value.
  case success(Value)
  /// An error.
  indirect case failure(RequestError)
  /// A cancellation.
  case cancelled

  /// The value of a success; otherwise `nil`.
  public var value: Value? { if case .success(let value) = self { value } else { nil } }

  /// The error of a failure; otherwise `nil`.
  public var error: RequestError? { if case .failure(let error) = self { error } else { nil } }

  /// True for a cancellation.
  public var isCancelled: Bool { if case .cancelled = self { true } else { false } }

  /// Returns the outcome with a transformed value.
  public func map<Mapped: Sendable>(_ transform: (Value) throws -> Mapped) rethrows -> Outcome<Mapped> {
    switch self {
    case .success(let value): .success(try transform(value))
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }
}

extension Outcome: PrintedByDescription {
  /// `success`, `cancelled`, or `failure` with the error.
  public var description: String {
    switch self {
    case .success: "success"
    case .failure(let error): "failure: \(error)"
    case .cancelled: "cancelled"
    }
  }
}
