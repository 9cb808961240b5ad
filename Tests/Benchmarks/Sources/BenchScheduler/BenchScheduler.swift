import BenchSupport

/// Measures the scheduler's work for one waiting dispatch among many waiting dispatches.
///
/// The other files of the module are symbolic links to files of Errand.
@main
struct BenchScheduler {
  static func main() {
    let options = Options()
    guard let priorities = Int(options.variant.dropFirst("scheduler-".count)) else { fail("no such variant") }
    let turns = options.requests
    measureOnce(options, of: Queue(length: options.inFlight, priorities: priorities)) { $0.run(turns) }
  }
}

/// A queue of waiting dispatches for the ten slots of one origin.
struct Queue: Sendable {
  private var table = SlotTable<Int>(limit: 10)
  private var slot: SlotTable<Int>.Slot?
  private let priorities: Int
  private let origin = OriginNumber(1)
  private var last = 0

  init(length: Int, priorities: Int) {
    self.priorities = priorities
    for _ in 0..<length + 10 { enter() }
  }

  /// Runs rounds.
  ///
  /// In each round, one dispatch ends, the next dispatch starts, and a new dispatch starts to wait.
  mutating func run(_ turns: Int) {
    for _ in 0..<turns {
      // All slots of an origin are interchangeable.
      guard let slot, table.release(slot) != nil else { fail("nobody waits") }
      enter()
    }
  }

  private mutating func enter() {
    last += 1
    // Multiplies by a prime, so the priorities arrive in mixed order.
    let priority = RequestPriority(Double(last * 7919 % priorities))
    let entry = table.enter(last, for: origin, priority: priority, time: Double(last) / 1000)
    if case .served(let slot) = entry { self.slot = slot }
  }
}
