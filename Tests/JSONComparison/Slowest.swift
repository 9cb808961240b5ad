import JSONCases

/// Counts the decoded documents, and keeps the slowest.
struct Slowest: Sendable, CustomStringConvertible {
  static let limit = Duration.milliseconds(100)

  private(set) var tested: Case?
  private var time = Duration.zero
  private var values = 0
  private var failures = 0

  var isTooSlow: Bool { time > Self.limit }

  mutating func decode(_ next: Case) {
    let (outcome, taken) = measured(next)
    if outcome.isValue { values += 1 } else { failures += 1 }
    guard taken > time else { return }
    // Measured twice, because another program may have used the processor.
    let again = taken > Self.limit ? min(taken, measured(next).taken) : taken
    if again > time { (tested, time) = (next, again) }
  }

  private func measured(_ next: Case) -> (outcome: Outcome, taken: Duration) {
    let start = ContinuousClock.now
    let outcome = next.ours()
    return (outcome, ContinuousClock.now - start)
  }

  mutating func add(_ other: Slowest) {
    values += other.values
    failures += other.failures
    if other.time > time { (tested, time) = (other.tested, other.time) }
  }

  var description: String {
    let milliseconds = Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1000
    return
      "\(values) values, \(failures) failures, longest \(milliseconds) ms (\(tested?.type.name ?? "none"))"
  }
}
