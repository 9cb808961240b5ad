public import Foundation

extension Parameters {
  /// A value as encoders see it: the tree a ``ParameterValue`` becomes.
  ///
  /// A ``RequestSerializer`` of your own switches over it. Printing it shows the kind and never the value.
  public enum Node: Sendable, Hashable {
    /// Text.
    case string(String)
    /// Text that is never printed.
    case secret(Secret)
    /// A whole number.
    case integer(Int64)
    /// A binary fraction; may be infinite or not a number, which `.form` and `.json` refuse.
    case double(Double)
    /// A decimal fraction, or a whole number beyond `Int64`.
    case decimal(Decimal)
    /// A truth value.
    case bool(Bool)
    /// An explicit null.
    case null
    /// Values in order.
    case list([Node])
    /// Named values in order.
    case object(Parameters)
  }
}

extension Parameters.Node: ParameterValue {
  /// Itself.
  public var parameterNode: Parameters.Node? { self }
}

extension Parameters.Node {
  /// Whether there is nothing inside.
  var isScalar: Bool {
    switch self {
    case .list, .object: false
    default: true
    }
  }

  /// The kind, for printing.
  var kind: String {
    switch self {
    case .string: "string"
    case .secret: "secret"
    case .integer: "integer"
    case .double: "double"
    case .decimal: "decimal"
    case .bool: "bool"
    case .null: "null"
    case .list: "list"
    case .object: "object"
    }
  }
}
