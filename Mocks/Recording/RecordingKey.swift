import Errand
import Foundation

/// What a request and an entry have to have in common: the method, and the URL with its secrets hidden.
///
/// Percent-encoding, the order of query items and the fragment make no difference, and neither does a scheme's own
/// port.
struct RecordingKey: Hashable, Sendable {
  let method: String
  let origin: String?
  let path: [String]
  let query: [String]

  /// `nil` when the text is no URL.
  init?(_ method: String, _ url: String, redaction: Redaction) {
    guard let url = URL(string: url) else { return nil }
    let place = RequestTarget(redaction.url(url))
    self.method = method
    origin = place.origin
    path = place.components
    query = place.queryItems ?? []
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
    ]
    let different = all.filter(\.2)
    return (different.map(\.0), different.map(\.1).reduce(0, +))
  }
}
