/// Two counters over a sliding window of ten time slots.
struct SlidingCounts {
  private static let slotCount = 10

  private var first = [Int](repeating: 0, count: slotCount)
  private var second = [Int](repeating: 0, count: slotCount)
  /// The number of the newest slot, counted from the start of the clock.
  private var currentSlot = 0
  private let slot: Duration

  init(window: Duration) { slot = max(window, .milliseconds(1)) / Self.slotCount }

  mutating func countFirst(at now: Duration) {
    moveOn(to: now)
    first[currentSlot % Self.slotCount] += 1
  }

  mutating func countSecond(at now: Duration) {
    moveOn(to: now)
    second[currentSlot % Self.slotCount] += 1
  }

  mutating func takeBackSecond(at now: Duration) {
    moveOn(to: now)
    let newestFirst = (1...Self.slotCount).map { (currentSlot + $0) % Self.slotCount }.reversed()
    guard let index = newestFirst.first(where: { second[$0] > 0 }) else { return }
    second[index] -= 1
  }

  mutating func sums(at now: Duration) -> (first: Int, second: Int) {
    moveOn(to: now)
    return (first.reduce(0, +), second.reduce(0, +))
  }

  private mutating func moveOn(to now: Duration) {
    let number = Int(min(max(now / slot, 0), 1e15))
    guard number > currentSlot else { return }
    for passed in 1...min(number - currentSlot, Self.slotCount) {
      let place = (currentSlot + passed) % Self.slotCount
      (first[place], second[place]) = (0, 0)
    }
    currentSlot = number
  }
}
