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

  /// Makes empty parameters.
  public init() {}

  /// Makes parameters of a literal.
  public init(dictionaryLiteral elements: (String, (any ParameterValue)?)...) {
    self.init(elements)
  }

  /// Makes parameters of pairs, by the rules of the literal.
  public init(_ pairs: some Sequence<(String, (any ParameterValue)?)>) {
    for (key, value) in pairs { set(key, to: value?.parameterNode) }
  }

  /// Takes entries whose keys are known to differ.
  init(unique entries: [Entry]) { self.entries = entries }

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
  public func node(for key: String) -> Node? { entries.first { $0.key == key }?.value }

  /// Takes over `other`: its value of a key replaces the one here, in its place; other keys are appended.
  public mutating func merge(_ other: Parameters) {
    for entry in other.entries { set(entry.key, to: entry.value) }
  }

  /// These parameters with `other` merged in; see ``merge(_:)``.
  public func merging(_ other: Parameters) -> Parameters {
    var merged = self
    merged.merge(other)
    return merged
  }

  private mutating func set(_ key: String, to value: Node?) {
    let place = entries.firstIndex { $0.key == key }
    switch (place, value) {
    case (let place?, let value?): entries[place] = Entry(key: key, value: value)
    case (let place?, nil): entries.remove(at: place)
    case (nil, let value?): entries.append(Entry(key: key, value: value))
    case (nil, nil): break
    }
  }
}
