extension Optional: ParameterValue where Wrapped: ParameterValue {
  /// The wrapped value; `nil` leaves its key out, and is null in a list.
  public var parameterNode: Parameters.Node? { flatMap(\.parameterNode) }
}

extension Array: ParameterValue where Element: ParameterValue {
  /// A list.
  public var parameterNode: Parameters.Node? { .list(map { $0.parameterNode ?? .null }) }
}

extension Set: ParameterValue where Element: ParameterValue {
  /// A list, sorted: a set has no order, and what is sent must not change from run to run.
  public var parameterNode: Parameters.Node? {
    .list(map { $0.parameterNode ?? .null }.sorted(by: Parameters.Node.precedes))
  }
}

extension Dictionary: ParameterValue where Key == String, Value: ParameterValue {
  /// An object sorted by key: a dictionary has no order, and what is sent must not change from run to run.
  public var parameterNode: Parameters.Node? {
    let sorted = self.sorted { $0.key < $1.key }
    return .object(
      Parameters(
        unique: sorted.compactMap { key, value in
          value.parameterNode.map { Parameters.Entry(key: key, value: $0) }
        }))
  }
}
