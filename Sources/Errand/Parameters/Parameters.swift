public import Foundation

/// Named values in order.
///
/// ```swift
/// let parameters: Parameters = [
///   "page": page,                        // any ParameterValue: text, a number, Bool, Date, an enum, …
///   "filter": filter,                    // an optional: nil leaves the key out
///   "parent": .null,                     // an explicit null
///   "ids": [1, 2, 3],                    // arrays and [String: Value] dictionaries of one type
///   "mixed": .list(1, "a", nil),         // values of several types; nil becomes null
///   "range": .object(["from": 1, "to": "end"]),
///   "tree": ["x", 2, [], [:]] as JSONValue,   // nested literals
///   "avatar": .file(url),                // a file: a form becomes multipart
/// ]
/// ```
///
/// A key may occur more than once: `tag=a&tag=b`.
public struct Parameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  package struct Entry: Sendable, Hashable {
    package let key: String
    package let value: Node
  }

  package private(set) var entries: [Entry] = []
  /// The name of an enum, if the parameters are an enum case encoded as an empty object; otherwise `nil`.
  private(set) var emptyCase: String?
  /// An index for fast searches; `nil` for few entries, and usually after a removal.
  private var index: KeyIndex?

  /// Creates empty parameters.
  public init() {}

  /// Creates parameters from a literal; `nil` is left out.
  public init(dictionaryLiteral elements: (String, (any ParameterValue)?)...) {
    self.init(elements)
  }

  /// Creates parameters from pairs; `nil` is left out.
  public init(_ pairs: some Sequence<(String, (any ParameterValue)?)>) {
    self.init(
      entries: pairs.compactMap { key, value in
        value?.parameterNode.map { Entry(key: key, value: $0) }
      })
  }

  /// Creates parameters from pairs of texts.
  public init(pairs: some Sequence<(String, String)>) {
    self.init(entries: pairs.map { Entry(key: $0, value: .string($1)) })
  }

  /// Creates parameters from query items; a missing value becomes null.
  public init(queryItems: some Sequence<URLQueryItem>) {
    self.init(entries: queryItems.map { Entry(key: $0.name, value: $0.value.map(Node.string) ?? .null) })
  }

  init(entries: [Entry], emptyCase: String? = nil) {
    self.entries = entries
    self.emptyCase = emptyCase
    index = KeyIndex(entries)
  }

  /// The keys in order, with repetitions.
  public var keys: [String] { entries.map(\.key) }

  /// True without keys.
  public var isEmpty: Bool { entries.isEmpty }

  /// The keys and values in order.
  public var members: [(key: String, value: Node)] { entries.map { ($0.key, $0.value) } }

  /// The first value of a key.
  ///
  /// Setting replaces all values; `nil` removes the key.
  public subscript(key: String) -> (any ParameterValue)? {
    get { node(for: key) }
    set { set(key, to: newValue?.parameterNode) }
  }

  /// Returns the first value of a key as a `Node`; `nil` if the key is missing.
  public func node(for key: String) -> Node? { place(of: key).map { entries[$0].value } }

  /// Returns all values of a key, in order.
  public func nodes(for key: String) -> [Node] { entries.lazy.filter { $0.key == key }.map(\.value) }

  /// Appends a value; `nil` has no effect.
  public mutating func add(_ key: String, _ value: (any ParameterValue)?) {
    if let node = value?.parameterNode { append(Entry(key: key, value: node)) }
  }

  /// Merges `other`.
  ///
  /// The values of `other` replace all values of the same key.
  public mutating func merge(_ other: Parameters) {
    guard !other.isEmpty else { return }
    guard !isEmpty else { return self = other }
    let many =
      other.entries.count > KeyIndex.indexThreshold ? Dictionary(grouping: other.entries, by: \.key) : nil
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

  /// Returns these parameters with `other` merged.
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
    index = nil
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    index?.note(entry.key, at: entries.count - 1)
    if entries.count == KeyIndex.indexThreshold + 1 { index = KeyIndex(entries) }
  }

  private func place(of key: String) -> Int? {
    if let index { index.place(of: key) } else { entries.firstIndex { $0.key == key } }
  }

  var repeatedKey: String? {
    if let index { return entries.first { index.isRepeated($0.key) }?.key }
    guard entries.count > KeyIndex.indexThreshold else {
      return entries.indices.dropFirst().first { place(of: entries[$0].key) != $0 }.map { entries[$0].key }
    }
    var seen: Set<String> = []
    return entries.first { !seen.insert($0.key).inserted }?.key
  }

  /// Compares keys, values and order.
  public static func == (a: Parameters, b: Parameters) -> Bool { a.entries == b.entries }

  /// Hashes keys and values.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }

  /// Null or a list, such as `.list(1, "a", nil)`.
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
  /// An explicit null.
  ///
  /// In contrast, `nil` as the value of a key leaves the key out.
  public static var null: Parameters.Literal { Parameters.Literal(node: .null) }

  /// A list of values; `nil` becomes null.
  public static func list(_ elements: (any ParameterValue)?...) -> Parameters.Literal { .list(of: elements) }

  /// A list of the elements of a sequence; `nil` becomes null.
  public static func list(of elements: some Sequence<(any ParameterValue)?>) -> Parameters.Literal {
    Parameters.Literal(node: .list(elements.map { $0?.parameterNode ?? .null }))
  }
}

extension ParameterValue where Self == Parameters {
  /// An object of values of any types.
  public static func object(_ members: Parameters) -> Parameters { members }
}

extension Parameters: PrintedByDescription {
  /// The keys, because values may be secrets.
  public var description: String { keys.description.printed }
  /// A mirror with the keys, for `dump`.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: keys.map(\.printed)) }
}

extension Parameters.Entry: PrintedByDescription {
  package var description: String { key.debugDescription.printed }
  package var customMirror: Mirror { Mirror(self, unlabeledChildren: [key.printed]) }
}
