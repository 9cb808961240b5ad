import Errand

/// What keeps a stub from answering a request, in words, and how far they are from each other.
struct Mismatch: Sendable {
  private(set) var distance = 0
  private(set) var differences: [String] = []

  mutating func add(_ difference: String, weight: Int) {
    distance += weight
    differences.append(difference)
  }
}

extension Stub {
  /// What keeps this stub from answering a request; a stub that matches has given all its answers.
  ///
  /// - Parameter redaction: what is hidden in the words.
  func mismatch(_ request: ReceivedRequest, _ place: RequestTarget, _ redaction: Redaction) -> Mismatch {
    var mismatch = pattern.mismatch(request.method, place, redaction)
    let shown = Shown(redaction: redaction)
    for condition in conditions {
      guard let difference = condition.difference(in: request, shown) else { continue }
      mismatch.add(difference, weight: 2)
    }
    if mismatch.differences.isEmpty {
      let count = limit ?? 0
      mismatch.add("spent after \(count) answer\(count == 1 ? "" : "s")", weight: 1)
    }
    return mismatch
  }
}
