public import Foundation

/// Named values in the order they were written; a request's ``Request/parameters`` and ``Request/query``.
///
/// ```swift
/// let parameters: Parameters = [
///   "page": page,                        // any ParameterValue: text, numbers, Bool, Date, Data, URL, UUID, enums, …
///   "filter": filter,                    // an optional: nil leaves the key out
///   "parent": .null,                     // sends null
///   "ids": [1, 2, 3],                    // arrays and [String: Value] dictionaries of one type
///   "mixed": .list(1, "a", nil),         // nesting of several types, or of none; nil in a list is sent as null
///   "range": .object(["from": 1, "to": "end"]),
///   "filter": ["x", 2, [], [:]] as JSONValue,   // the same where all of it is literals, however deep
///   "avatar": .file(url),                // a file: the body becomes a form of parts
/// ]
/// ```
///
/// A key written twice is there twice, and sent twice, `tag=a&tag=b`; JSON refuses it, as its readers disagree on what such members mean.
/// Order counts when two are compared, since it is the order they are sent in. Printing shows keys and never a value.
///
/// Any `Encodable` value makes parameters, too: ``init(encoding:keys:nils:)``.
public struct Parameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// A key and its value.
  package struct Entry: Sendable, Hashable {
    /// The key as it was written.
    package let key: String
    /// The value.
    package let value: Node
  }

  /// The keys and values, in order; a key may be there more than once.
  package private(set) var entries: [Entry] = []
  /// The enum whose case is told by the key of this object alone, which has nothing in it: only JSON can say that.
  private(set) var emptyCase: String?
  /// `nil` for few keys, and after keys have moved.
  private var index: KeyIndex?

  /// Makes empty parameters.
  public init() {}

  /// Makes parameters of a literal: `nil` leaves its pair out, and a key written twice is there twice.
  public init(dictionaryLiteral elements: (String, (any ParameterValue)?)...) {
    self.init(elements)
  }

  /// Makes parameters of pairs, by the rules of the literal.
  public init(_ pairs: some Sequence<(String, (any ParameterValue)?)>) {
    self.init(
      entries: pairs.compactMap { key, value in
        value?.parameterNode.map { Entry(key: key, value: $0) }
      })
  }

  /// Makes parameters of pairs of texts, such as those of a form; a key that comes twice is there twice.
  public init(pairs: some Sequence<(String, String)>) {
    self.init(entries: pairs.map { Entry(key: $0, value: .string($1)) })
  }

  /// Makes parameters of the items of a query; one without a value is null, which a query has as the key alone.
  public init(queryItems: some Sequence<URLQueryItem>) {
    self.init(entries: queryItems.map { Entry(key: $0.name, value: $0.value.map(Node.string) ?? .null) })
  }

  /// Takes entries; `emptyCase` is the name of an enum that has encoded a case of its as this object.
  init(entries: [Entry], emptyCase: String? = nil) {
    self.entries = entries
    self.emptyCase = emptyCase
    index = KeyIndex(entries)
  }

  /// The keys, in order, each as often as it is there.
  public var keys: [String] { entries.map(\.key) }

  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }

  /// The keys and values, in order; a key may be there more than once.
  public var members: [(key: String, value: Node)] { entries.map { ($0.key, $0.value) } }

  /// The value of a key, of several the first, or `nil` when it is absent.
  ///
  /// Setting replaces all values of the key by one, in the place of the first, or appends it; `nil` removes them, `.null` sends null.
  /// ``add(_:_:)`` keeps those that are there. Compare values with ``node(for:)``.
  public subscript(key: String) -> (any ParameterValue)? {
    get { node(for: key) }
    set { set(key, to: newValue?.parameterNode) }
  }

  /// The value of a key as it will be encoded, of several the first, or `nil` when it is absent.
  public func node(for key: String) -> Node? { place(of: key).map { entries[$0].value } }

  /// Every value of a key as it will be encoded, in order.
  public func nodes(for key: String) -> [Node] { entries.lazy.filter { $0.key == key }.map(\.value) }

  /// Adds a value at the end and keeps those of the same key; `nil` adds nothing.
  public mutating func add(_ key: String, _ value: (any ParameterValue)?) {
    if let node = value?.parameterNode { append(Entry(key: key, value: node)) }
  }

  /// Takes over `other`: its values of a key replace those here, in the place of the first; other keys are appended.
  public mutating func merge(_ other: Parameters) {
    guard !other.isEmpty else { return }
    guard !isEmpty else { return self = other }
    let many = other.entries.count > KeyIndex.fewest ? Dictionary(grouping: other.entries, by: \.key) : nil
    var merged: [Entry] = []
    var taken: Set<String> = []
    for entry in entries {
      let values = many.map { $0[entry.key] ?? [] } ?? other.entries.filter { $0.key == entry.key }
      if values.isEmpty {
        merged.append(entry)
      } else if taken.insert(entry.key).inserted {
        merged += values
      }
    }
    self = Parameters(entries: merged + other.entries.filter { !taken.contains($0.key) })
  }

  /// These parameters with `other` merged in; see ``merge(_:)``.
  public func merging(_ other: Parameters) -> Parameters {
    var merged = self
    merged.merge(other)
    return merged
  }

  private mutating func set(_ key: String, to value: Node?) {
    guard let place = place(of: key) else {
      if let value { append(Entry(key: key, value: value)) }
      return
    }
    if let value {
      entries[place] = Entry(key: key, value: value)
      if let index, !index.isRepeated(key) { return }
    }
    let rest = entries[(value == nil ? place : place + 1)...].filter { $0.key != key }
    let kept = value == nil ? place : place + 1
    guard kept + rest.count < entries.count else { return }
    entries.replaceSubrange(kept..., with: rest)
    // The others have moved up.
    index = nil
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    index?.note(entry.key, at: entries.count - 1)
    if entries.count == KeyIndex.fewest + 1 { index = KeyIndex(entries) }
  }

  private func place(of key: String) -> Int? {
    if let index { index.place(of: key) } else { entries.firstIndex { $0.key == key } }
  }

  /// A key that is there more than once; `nil` when none is.
  var repeatedKey: String? {
    if let index { return entries.first { index.isRepeated($0.key) }?.key }
    guard entries.count > KeyIndex.fewest else {
      return entries.indices.dropFirst().first { place(of: entries[$0].key) != $0 }.map { entries[$0].key }
    }
    var seen: Set<String> = []
    return entries.first { !seen.insert($0.key).inserted }?.key
  }

  /// Whether they have the same keys and values in the same order.
  public static func == (a: Parameters, b: Parameters) -> Bool { a.entries == b.entries }

  /// Takes in the keys and values, in order.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }

  /// A value that is written by name: `.null`, or `.list(1, "a", nil)`.
  public struct Literal: ParameterValue, Hashable {
    let node: Node

    /// The list, or null.
    public var parameterNode: Node? { node }
  }
}

extension Parameters: ParameterValue {
  /// An object.
  public var parameterNode: Node? { .object(self) }
}

extension ParameterValue where Self == Parameters.Literal {
  /// An explicit null; a plain `nil` leaves the key out.
  public static var null: Parameters.Literal { Parameters.Literal(node: .null) }

  /// A list of values of any types, or of none; `nil` is sent as null, so that positions are kept.
  public static func list(_ elements: (any ParameterValue)?...) -> Parameters.Literal { .list(of: elements) }

  /// A list of the elements of a sequence; `nil` is sent as null.
  public static func list(of elements: some Sequence<(any ParameterValue)?>) -> Parameters.Literal {
    Parameters.Literal(node: .list(elements.map { $0?.parameterNode ?? .null }))
  }
}

extension ParameterValue where Self == Parameters {
  /// Named values of any types, or of none.
  public static func object(_ members: Parameters) -> Parameters { members }
}

extension Parameters: PrintedByDescription {
  /// The keys, such as `["page", "token"]`; never a value, which may be a secret.
  public var description: String { keys.description.printed }
  /// Shows `dump` the keys only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: keys.map(\.printed)) }
}

extension Parameters.Entry: PrintedByDescription {
  /// The key.
  package var description: String { key.debugDescription.printed }
  /// Shows `dump` the key only.
  package var customMirror: Mirror { Mirror(self, unlabeledChildren: [key.printed]) }
}
