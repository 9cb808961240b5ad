public import Foundation

extension Parameters {
  /// A value as encoders see it: the tree a ``ParameterValue`` becomes.
  ///
  /// A ``RequestSerializer`` of your own switches over it. Printing it shows the kind and never the value.
  public enum Node: Sendable {
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
    /// A time, whose text depends on what it is written in: see ``ParameterEncoding/Style`` and ``RequestSerializer/json``.
    case date(Date)
    /// Bytes, whose text depends on what they are written in: see ``ParameterEncoding/Style`` and ``RequestSerializer/json``.
    case data(Data)
    /// An explicit null.
    case null
    /// Values in order.
    case list([Node])
    /// Named values in order.
    case object(Parameters)
    /// A file, which is sent as a part of a form.
    case file(File)
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

  var isFile: Bool { if case .file = self { true } else { false } }

  /// What it is, in a sentence.
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

  /// The kind, for printing.
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
  /// The kind, such as `string`; the keys of an object.
  public var description: String {
    if case .object(let object) = self { object.description } else { kind }
  }
}
