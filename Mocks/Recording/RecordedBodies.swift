import Errand
import ErrandHARFormat
import Foundation

/// The bodies of recorded requests, made comparable once, when they are first asked for.
final class RecordedBodies: Sendable {
  private let entries: [HAREntry]
  private let redaction: Redaction
  /// By the first of the entries that were asked for together.
  private let known = Locked<[Int: [RecordingBody: [Int]]]>([:])

  init(_ entries: [HAREntry], redaction: Redaction) {
    self.entries = entries
    self.redaction = redaction
  }

  /// The entries of one method and URL by their bodies, each list in order.
  func groups(of indices: [Int]) -> [RecordingBody: [Int]] {
    guard let first = indices.first else { return [:] }
    if let groups = known.withLock({ $0[first] }) { return groups }
    let groups = Dictionary(grouping: indices) { index in
      RecordingBody(entries[index].request.postData, redaction: redaction)
    }
    known.withLock { $0[first] = groups }
    return groups
  }
}
