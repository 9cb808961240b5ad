extension Parameters: ParameterValue {
  /// An object.
  public var parameterNode: Node? { .object(self) }
}

extension Parameters {
  /// A list of values of any types; write it `.list(1, "a", nil)`.
  public struct List: ParameterValue, Hashable {
    private let elements: [Node]

    init(_ elements: [(any ParameterValue)?]) { self.elements = elements.map { $0?.parameterNode ?? .null } }

    /// A list.
    public var parameterNode: Node? { .list(elements) }
  }

  /// An explicit null; write it `.null`.
  public struct Null: ParameterValue, Hashable {
    /// Null.
    public var parameterNode: Node? { .null }
  }
}

extension ParameterValue where Self == Parameters.Null {
  /// An explicit null; a plain `nil` leaves the key out.
  public static var null: Parameters.Null { Parameters.Null() }
}

extension ParameterValue where Self == Parameters.List {
  /// A list of values of any types, or of none; `nil` is sent as null, so that positions are kept.
  public static func list(_ elements: (any ParameterValue)?...) -> Parameters.List {
    Parameters.List(elements)
  }
}

extension ParameterValue where Self == Parameters {
  /// Named values of any types, or of none.
  public static func object(_ members: Parameters) -> Parameters { members }
}
