/// The position of the first entry of each key, for parameters with many entries.
struct KeyIndex: Sendable {
  static let indexThreshold = 16

  private var places: [String: Int] = [:]
  private var repeated: Set<String> = []

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
