public import Foundation

extension Parameters {
  /// A parameter value as a tree, such as for a custom ``RequestSerializer``.
  public enum Node: Sendable {
    /// Text.
    case string(String)
    /// Secret text.
    case secret(Secret)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// A decimal number, such as a `UInt64` beyond `Int64`.
    case decimal(Decimal)
    /// A truth value.
    case bool(Bool)
    /// A time.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An explicit null.
    case null
    /// Values in order.
    case list([Node])
    /// Named values in order.
    case object(Parameters)
    /// A file, or a file URL given without `.file(_:)`.
    case file(File)
  }
}

extension Parameters.Node: ParameterValue {
  /// The node.
  public var parameterNode: Parameters.Node? { self }
}

extension Parameters.Node {
  var isScalar: Bool {
    switch self {
    case .list, .object: false
    default: true
    }
  }

  var isFile: Bool { if case .file = self { true } else { false } }

  var noun: String {
    switch self {
    case .string, .secret: "a text"
    case .integer, .double, .decimal: "a number"
    case .bool: "a truth value"
    case .date: "a date"
    case .data: "bytes"
    case .null: "null"
    case .list: "a list"
    case .object: "an object"
    case .file(let file): file.isBareURL ? "a text" : "a file"
    }
  }

  var kind: String {
    switch self {
    case .string: "string"
    case .secret: "secret"
    case .integer: "integer"
    case .double: "double"
    case .decimal: "decimal"
    case .bool: "bool"
    case .date: "date"
    case .data: "data"
    case .null: "null"
    case .list: "list"
    case .object: "object"
    case .file: "file"
    }
  }
}

extension Parameters.Node: PrintedByDescription {
  /// The keys of an object; otherwise the kind, such as `string`.
  public var description: String {
    if case .object(let object) = self { object.description } else { kind }
  }
}
