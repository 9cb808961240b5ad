/// The positions of keys among many parameters.
///
/// The index exists because a comparison of each pair of 100,000 keys takes a minute.
struct KeyIndex: Sendable {
  /// The number of keys up to which a search without an index is faster.
  static let indexThreshold = 16

  /// The first position of each key.
  private var places: [String: Int] = [:]
  /// The repeated keys.
  private var repeated: Set<String> = []

  /// Creates the index of entries; `nil` for few entries.
  init?(_ entries: [Parameters.Entry]) {
    guard entries.count > Self.indexThreshold else { return nil }
    for (place, entry) in entries.enumerated() { note(entry.key, at: place) }
  }

  mutating func note(_ key: String, at place: Int) {
    guard places[key] == nil else { return _ = repeated.insert(key) }
    places[key] = place
  }

  func place(of key: String) -> Int? { places[key] }

  func isRepeated(_ key: String) -> Bool { repeated.contains(key) }
}
