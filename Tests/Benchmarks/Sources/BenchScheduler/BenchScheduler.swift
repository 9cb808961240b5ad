import BenchSupport

/// What the scheduler does for one dispatch that waits, however many wait with it: the rest of the module is Errand's own
/// code, by links to its files.
@main
struct BenchScheduler {
  static func main() {
    let options = Options()
    guard let priorities = Int(options.variant.dropFirst("scheduler-".count)) else { fail("no such variant") }
    let turns = options.requests
    measureOnce(options, of: Queue(length: options.inFlight, priorities: priorities)) { $0.run(turns) }
  }
}

/// Ten slots of one origin, and so many who wait for them.
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

  /// Each turn one ends, the next starts, and one more comes to wait.
  mutating func run(_ turns: Int) {
    for _ in 0..<turns {
      // All slots of an origin are alike.
      guard let slot, table.release(slot) != nil else { fail("nobody waits") }
      enter()
    }
  }

  private mutating func enter() {
    last += 1
    // A prime step, so that priorities come in no order.
    let priority = RequestPriority(Double(last * 7919 % priorities))
    let entry = table.enter(last, for: origin, priority: priority, time: Double(last) / 1000)
    if case .served(let slot) = entry { self.slot = slot }
  }
}
