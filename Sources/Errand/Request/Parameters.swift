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
}

extension Parameters {
  /// Whether they have the same keys and values in the same order.
  public static func == (a: Parameters, b: Parameters) -> Bool { a.entries == b.entries }

  /// Takes in the keys and values, in order.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}
