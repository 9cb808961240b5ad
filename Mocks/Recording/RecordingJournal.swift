import Errand
import ErrandHARFormat
import Foundation

/// What a recording transport has used and recorded so far.
final class RecordingJournal: Sendable {
  private struct State {
    /// The indices of the entries that have answered.
    var used: Set<Int> = []
    var recorded: [(number: Int, entry: HAREntry)] = []
    var lastNumber = 0
  }

  /// The guard of everything here.
  private let state = Locked(State())
  /// Held while a file is written, so that an older state never replaces a newer one.
  private let writing = Locked(())

  var used: Set<Int> { state.withLock { $0.used } }

  /// The first of these entries that was not used, or again the last one.
  func take(_ indices: [Int], repeatsLast: Bool) -> Int? {
    state.withLock { state in
      let index = indices.first { !state.used.contains($0) } ?? (repeatsLast ? indices.last : nil)
      if let index { state.used.insert(index) }
      return index
    }
  }

  /// The place of a request in the order of sending.
  func nextNumber() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  func add(_ entry: HAREntry, number: Int) {
    state.withLock { $0.recorded.append((number, entry)) }
  }

  /// Hands what was recorded to a writer, one writer at a time.
  func save(_ write: ([HAREntry]) throws -> Void) throws {
    try writing.withLock { _ in
      let recorded = state.withLock { $0.recorded }
      try write(recorded.sorted(by: Self.isBefore).map(\.entry))
    }
  }

  /// Sorted by what is asked for; those of the same request keep their order.
  static func sorted(_ entries: [HAREntry]) -> [HAREntry] {
    entries.enumerated().map { (number: $0.offset, entry: $0.element) }.sorted(by: isBefore).map(\.entry)
  }

  /// Sorted by what is asked for, so that exchanges at the same time are written in one order.
  private static func isBefore(
    _ first: (number: Int, entry: HAREntry), _ second: (number: Int, entry: HAREntry)
  ) -> Bool {
    let (a, b) = (first.entry.request, second.entry.request)
    if a.url != b.url { return a.url < b.url }
    if a.method != b.method { return a.method < b.method }
    let (bodyA, bodyB) = (a.postData?.text ?? "", b.postData?.text ?? "")
    return bodyA != bodyB ? bodyA < bodyB : first.number < second.number
  }
}

/// What a request and an entry have to have in common: the method, and the URL with its secrets hidden.
///
/// ``RecordingMatching`` may say otherwise. Percent-encoding, the order of query items and the fragment make no difference, and neither does a scheme's own
/// port.
struct RecordingKey: Hashable, Sendable {
  let method: String
  let origin: String?
  let path: [ExactText]
  let query: [QueryItem]
  /// Those that are asked for.
  let headers: [String]

  /// `nil` when the text is no URL.
  init?(
    method: String, url: String, headers: @autoclosure () -> HTTPHeaders, redaction: Redaction,
    matching: RecordingMatching
  ) {
    guard let url = URL(string: url) else { return nil }
    var place = RequestTarget(redaction.url(url))
    self.method = method
    origin = matching.ignoresHost ? nil : place.origin
    path = place.components.map { ExactText($0) }
    query = matching.compared(place.queryItems ?? [])
    self.headers = matching.comparedHeaders.isEmpty ? [] : matching.compared(headers(), by: redaction)
  }

  /// How many components of the paths are left after those they begin with together.
  private func distance(to other: RecordingKey) -> Int {
    let common = zip(path, other.path).prefix { $0 == $1 }.count
    return max(path.count, other.path.count) - common
  }

  /// The parts that differ, in words, and how much that counts.
  func difference(from other: RecordingKey) -> (parts: [String], weight: Int) {
    let all = [
      ("host", 8, origin != other.origin), ("path", 4 + distance(to: other), path != other.path),
      ("method", 2, method != other.method), ("query", 1, query != other.query),
      ("header", 1, headers != other.headers),
    ]
    let different = all.filter(\.2)
    return (different.map(\.0), different.map(\.1).reduce(0, +))
  }
}
