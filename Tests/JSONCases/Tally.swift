/// Counts verdicts, with examples of faults and of allowed or varying results.
package struct Tally: Sendable, CustomStringConvertible {
  package private(set) var counts: [Verdict: Int] = [:]
  private var examples: [Verdict: [Difference]] = [:]
  private let shown: Int

  package init(shown: Int = 10) { self.shown = shown }

  package mutating func add(_ verdict: Verdict, _ difference: Difference) {
    counts[verdict, default: 0] += 1
    guard verdict > .oursAlone else { return }
    let limit = verdict.isFault ? shown : 2
    if examples[verdict, default: []].count < limit {
      examples[verdict, default: []].append(difference)
    }
  }

  package mutating func add(_ other: Tally) {
    counts.merge(other.counts, uniquingKeysWith: +)
    for (verdict, differences) in other.examples {
      examples[verdict] = Array(
        (examples[verdict, default: []] + differences).prefix(verdict.isFault ? shown : 2))
    }
  }

  package var faults: Int { counts.filter(\.key.isFault).values.reduce(0, +) }
  package var total: Int { counts.values.reduce(0, +) }

  package var description: String {
    var lines: [String] = []
    for verdict in examples.keys.sorted() {
      for difference in examples[verdict] ?? [] { lines.append("[\(verdict)] \(difference)") }
    }
    for verdict in counts.keys.sorted() { lines.append("\(counts[verdict] ?? 0)\t\(verdict)") }
    lines.append("\(total)\tin all, \(faults) not allowed")
    return lines.joined(separator: "\n")
  }
}
