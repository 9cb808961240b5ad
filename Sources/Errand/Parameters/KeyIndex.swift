/// The places of keys among many parameters: comparing each key with all others takes a minute for 100,000.
struct KeyIndex: Sendable {
  /// Up to so many keys, comparing them is faster.
  static let fewest = 16

  /// The first place of each key.
  private var places: [String: Int] = [:]
  /// The keys that stand more than once.
  private var repeated: Set<String> = []

  /// Creates the index of entries; `nil` for few entries.
  init?(_ entries: [Parameters.Entry]) {
    guard entries.count > Self.fewest else { return nil }
    for (place, entry) in entries.enumerated() { note(entry.key, at: place) }
  }

  mutating func note(_ key: String, at place: Int) {
    guard places[key] == nil else { return _ = repeated.insert(key) }
    places[key] = place
  }

  func place(of key: String) -> Int? { places[key] }

  func isRepeated(_ key: String) -> Bool { repeated.contains(key) }
}
