public import Foundation

/// Named values in the order they were written; a request's ``Request/parameters`` and ``Request/query``.
///
/// ```swift
/// let parameters: Parameters = [
///   "page": page,                        // any ParameterValue: text, numbers, Bool, URL, UUID, enums, …
///   "filter": filter,                    // an optional: nil leaves the key out
///   "parent": .null,                     // sends null
///   "ids": [1, 2, 3],                    // arrays and [String: Value] dictionaries of one type
///   "mixed": .list(1, "a", nil),         // nesting of several types; nil in a list is sent as null
///   "range": .object(["from": 1, "to": "end"]),
///   "avatar": .file(url),                // a file: the body becomes a form of parts
/// ]
/// ```
///
/// A key written twice keeps the place of the first and takes the later value; a later `nil` removes it. Order counts
/// when two are compared, since it is the order they are sent in. Printing shows keys and never a value.
public struct Parameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// A key and its value.
  public struct Entry: Sendable, Hashable {
    /// The key as it was written.
    public let key: String
    /// The value.
    public let value: Node
  }

  /// The keys and values, in order; no key is there twice.
  public private(set) var entries: [Entry] = []
  /// Where each key stands, once there are many: comparing each key with all others takes a minute for 100,000.
  private var places: [String: Int]?
  /// Up to so many keys, comparing them is faster.
  private static let fewest = 16

  /// Makes empty parameters.
  public init() {}

  /// Makes parameters of a literal.
  public init(dictionaryLiteral elements: (String, (any ParameterValue)?)...) {
    self.init(elements)
  }

  /// Makes parameters of pairs, by the rules of the literal.
  public init(_ pairs: some Sequence<(String, (any ParameterValue)?)>) {
    if let few = pairs as? [(String, (any ParameterValue)?)], few.count <= Self.fewest {
      for (key, value) in few { set(key, to: value?.parameterNode) }
      return
    }
    var slots: [Entry?] = []
    var places: [String: Int] = [:]
    for (key, value) in pairs {
      let entry = value?.parameterNode.map { Entry(key: key, value: $0) }
      if let place = places[key] {
        slots[place] = entry
        if entry == nil { places[key] = nil }
      } else if let entry {
        places[key] = slots.count
        slots.append(entry)
      }
    }
    entries = slots.compactMap { $0 }
    index()
  }

  /// Takes entries whose keys are known to differ.
  init(unique entries: [Entry]) {
    self.entries = entries
    index()
  }

  /// The keys, in order.
  public var keys: [String] { entries.map(\.key) }

  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }

  /// The value of a key, or `nil` when it is absent.
  ///
  /// Setting keeps the place of a key that is there and appends one that is not; `nil` removes it, `.null` sends
  /// null. Compare values with ``node(for:)``.
  public subscript(key: String) -> (any ParameterValue)? {
    get { node(for: key) }
    set { set(key, to: newValue?.parameterNode) }
  }

  /// The value of a key as it will be encoded, or `nil` when it is absent.
  public func node(for key: String) -> Node? { place(of: key).map { entries[$0].value } }

  /// Takes over `other`: its value of a key replaces the one here, in its place; other keys are appended.
  public mutating func merge(_ other: Parameters) {
    if places == nil { index() }
    for entry in other.entries { set(entry.key, to: entry.value) }
  }

  /// These parameters with `other` merged in; see ``merge(_:)``.
  public func merging(_ other: Parameters) -> Parameters {
    var merged = self
    merged.merge(other)
    return merged
  }

  private mutating func set(_ key: String, to value: Node?) {
    switch (place(of: key), value) {
    case (let place?, let value?): entries[place] = Entry(key: key, value: value)
    case (let place?, nil):
      entries.remove(at: place)
      // The others have moved up.
      places = nil
    case (nil, let value?):
      entries.append(Entry(key: key, value: value))
      places?[key] = entries.count - 1
      if entries.count == Self.fewest + 1 { index() }
    case (nil, nil): break
    }
  }

  private func place(of key: String) -> Int? {
    if let places { places[key] } else { entries.firstIndex { $0.key == key } }
  }

  private mutating func index() {
    guard entries.count > Self.fewest else { return }
    places = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.key, $0) })
  }

  /// Whether they have the same keys and values in the same order.
  public static func == (a: Parameters, b: Parameters) -> Bool { a.entries == b.entries }

  /// Takes in the keys and values, in order.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }

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
    /// A file, which is sent as a part of a form.
    case file(File)
  }

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
    case .file: "file"
    }
  }
}

extension Parameters {
  /// Whether there is a file on any level.
  func hasFile(level: Int = 1) -> Bool { entries.contains { $0.value.hasFile(level: level) } }
}

extension Parameters: ParameterValue {
  /// An object.
  public var parameterNode: Node? { .object(self) }
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

/// The order of a set's elements, which have none of their own: what is sent must not change from run to run.
extension Parameters.Node {
  /// Numbers by value, then text, truth values and null, then lists by their elements and objects by their keys and values; files
  /// last, as they come.
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
    case .bool: 3
    case .null: 4
    case .list: 5
    case .object: 6
    case .file: 7
    }
  }
}

extension Parameters: PrintedByDescription {
  /// The keys, such as `["page", "token"]`; never a value, which may be a secret.
  public var description: String { keys.description.printed }
  /// Shows `dump` the keys only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: keys.map(\.printed)) }
}

extension Parameters.Entry: PrintedByDescription {
  /// The key.
  public var description: String { key.debugDescription.printed }
  /// Shows `dump` the key only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [key.printed]) }
}

extension Parameters.Node: PrintedByDescription {
  /// The kind, such as `string`; the keys of an object.
  public var description: String {
    if case .object(let object) = self { object.description } else { kind }
  }
}
