import Errand
import ErrandHARFormat
import Foundation

/// Request bodies in comparable form, computed on first use.
final class RecordedBodies: Sendable {
  private let entries: [HAREntry]
  private let redaction: Redaction
  private let known = Locked<[Int: [RecordingBody: [Int]]]>([:])

  init(_ entries: [HAREntry], redaction: Redaction) {
    self.entries = entries
    self.redaction = redaction
  }

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
