import Errand
import ErrandHARFormat
import Foundation

final class RecordingJournal: Sendable {
  private struct State {
    var used: Set<Int> = []
    var recorded: [(number: Int, entry: HAREntry)] = []
    var lastNumber = 0
  }

  private let state = Locked(State())
  /// Locked while a file is written, so an older list does not replace a newer list.
  private let writing = Locked(())

  var used: Set<Int> { state.withLock { $0.used } }

  func takeIndex(from indices: [Int], repeatsLast: Bool) -> Int? {
    state.withLock { state in
      let index = indices.first { !state.used.contains($0) } ?? (repeatsLast ? indices.last : nil)
      if let index { state.used.insert(index) }
      return index
    }
  }

  func nextNumber() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  func add(_ entry: HAREntry, number: Int) {
    state.withLock { $0.recorded.append((number, entry)) }
  }

  func save(_ write: ([HAREntry]) throws -> Void) throws {
    try writing.withLock { _ in
      let recorded = state.withLock { $0.recorded }
      try write(recorded.sorted(by: Self.isBefore).map(\.entry))
    }
  }

  static func sorted(_ entries: [HAREntry]) -> [HAREntry] {
    entries.enumerated().map { (number: $0.offset, entry: $0.element) }.sorted(by: isBefore).map(\.entry)
  }

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

/// The method, and the normalized URL with secrets hidden; changed by ``RecordingMatching``.
struct RecordingKey: Hashable, Sendable {
  let method: String
  let origin: String?
  let path: [ExactText]
  let query: [QueryItem]
  let headers: [String]

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

  private func distance(to other: RecordingKey) -> Int {
    let common = zip(path, other.path).prefix { $0 == $1 }.count
    return max(path.count, other.path.count) - common
  }

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
