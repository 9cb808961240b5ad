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
    /// A time, whose text depends on what it is written in: see ``ParameterEncoding/dates`` and ``RequestSerializer/json``.
    case date(Date)
    /// Bytes, whose text depends on what they are written in: see ``ParameterEncoding/data`` and ``RequestSerializer/json``.
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

  /// Whether it is a file or has one in it, as deep as parameters may be nested.
  func hasFile(level: Int = 1) -> Bool {
    guard level <= ParameterLimits.depth else { return false }
    return switch self {
    case .file: true
    case .list(let elements): elements.contains { $0.hasFile(level: level + 1) }
    case .object(let object): object.hasFile(level: level + 1)
    default: false
    }
  }

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
    case .file: "a file"
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

/// The order of a set's elements, which have none of their own: what is sent must not change from run to run.
extension Parameters.Node {
  /// Numbers by value, then text, dates, bytes, truth values and null, then lists by their elements and objects by their keys and
  /// values; files last, as they come.
  static func precedes(_ a: Parameters.Node, _ b: Parameters.Node) -> Bool {
    order(a, b) == .orderedAscending
  }

  private static func order(_ a: Parameters.Node, _ b: Parameters.Node) -> ComparisonResult {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): order(a, b)
    case (.double(let a), .double(let b)): order(a, b)
    case (.decimal(let a), .decimal(let b)): order(a, b)
    case (.integer(let a), .decimal(let b)): order(Decimal(a), b)
    case (.decimal(let a), .integer(let b)): order(a, Decimal(b))
    case (.string(let a), .string(let b)): order(a, b)
    case (.secret(let a), .secret(let b)): order(a.reveal(), b.reveal())
    // Of one text, what is no secret comes first.
    case (.string(let a), .secret(let b)): a <= b.reveal() ? .orderedAscending : .orderedDescending
    case (.secret(let a), .string(let b)): a.reveal() < b ? .orderedAscending : .orderedDescending
    case (.bool(let a), .bool(let b)): order(a ? 1 : 0, b ? 1 : 0)
    case (.date(let a), .date(let b)): order(a, b)
    case (.data(let a), .data(let b)): order(Array(a), Array(b)) { order($0, $1) }
    case (.list(let a), .list(let b)): order(a, b, by: order)
    case (.object(let a), .object(let b)): order(a.entries, b.entries, by: order)
    default: order(a.rank, b.rank)
    }
  }

  private static func order(_ a: Parameters.Entry, _ b: Parameters.Entry) -> ComparisonResult {
    let keys = order(a.key, b.key)
    return keys == .orderedSame ? order(a.value, b.value) : keys
  }

  /// By the first element that differs; of two that begin alike, the shorter one comes first.
  ///
  /// Each pair is compared once: asking in both directions takes twice the time on every level.
  private static func order<Element>(
    _ a: [Element], _ b: [Element], by order: (Element, Element) -> ComparisonResult
  ) -> ComparisonResult {
    for (a, b) in zip(a, b) {
      let result = order(a, b)
      if result != .orderedSame { return result }
    }
    return self.order(a.count, b.count)
  }

  private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> ComparisonResult {
    a < b ? .orderedAscending : b < a ? .orderedDescending : .orderedSame
  }

  private var rank: Int {
    switch self {
    case .integer, .decimal: 0
    case .double: 1
    case .string, .secret: 2
    case .date: 3
    case .data: 4
    case .bool: 5
    case .null: 6
    case .list: 7
    case .object: 8
    case .file: 9
    }
  }
}

extension Parameters.Node: PrintedByDescription {
  /// The kind, such as `string`; the keys of an object.
  public var description: String {
    if case .object(let object) = self { object.description } else { kind }
  }
}
