import Foundation
import Testing

@testable import Errand

/// `ERRAND_SLOT_STEPS` overrides 50,000 random steps.
@Suite("The slot table compared with its model", .timeLimit(.minutes(5)))
struct SlotTableModelTests {
  private static let steps =
    ProcessInfo.processInfo.environment["ERRAND_SLOT_STEPS"].flatMap { Int($0) } ?? 50_000

  private struct Pair {
    var table: SlotTable<Int>
    var model: SlotModel
    var random: SeededGenerator
    var time = 0.0
    var last = 0
    var places: [Int: SlotTable<Int>.Place] = [:]
    var slots: [Int: SlotTable<Int>.Slot] = [:]
    var origins: [Int: OriginNumber] = [:]
    var running: [Int] = []
    var ended: Set<Int> = []
    var starts = 0
    var shed = 0
    var refused = 0
  }

  private static let priorities: [RequestPriority] =
    [.low, .default, .default, .default, .high, .exempt] + [-5, 5, 0.5, 1e9].map { RequestPriority($0) }

  @Test(
    "After random steps the same requests start in the same order, without loss or duplicates",
    arguments: 1...4, [nil, 4])
  func random(_ seed: UInt64, _ maxWaiting: Int?) async throws {
    var pair = Pair(
      table: SlotTable<Int>(limit: 3, maxWaiting: maxWaiting),
      model: SlotModel(limit: 3, maxWaiting: maxWaiting), random: SeededGenerator(seed: seed))
    for step in 0..<Self.steps / 4 {
      if step.isMultiple(of: 1000) {
        checkOrigins(pair)
        // Lets other tests use the thread.
        await Task.yield()
      }
      change(&pair)
      try check(pair)
    }
    checkOrigins(pair)
    if pair.model.isHeld { setHeld(&pair) }
    setCap(5, &pair)
    setLimit(2, &pair)
    while !pair.running.isEmpty { finish(&pair) }
    try check(pair)
    checkOrigins(pair)
    #expect(pair.table.running == 0 && pair.table.waiting == 0)
    #expect(pair.ended.count + pair.shed + pair.refused == pair.last && pair.last > Self.steps / 10)
    #expect((pair.shed > 0 && pair.refused > 0) == (maxWaiting != nil))
  }

  private func change(_ pair: inout Pair) {
    switch pair.random.below(100) {
    case 0..<46: submit(&pair)
    case 46..<80: finish(&pair)
    case 80..<96: cancel(&pair)
    case 96, 97: pair.time += Double(pair.random.below(90_000)) / 1000
    case 98 where pair.random.below(2) == 0: setCap(pair.random.below(12), &pair)
    case 98: setLimit(pair.random.below(7), &pair)
    default: setHeld(&pair)
    }
  }

  /// A table keeps at most 32 idle origins.
  private func checkOrigins(_ pair: Pair) {
    let idle = pair.table.originCount - pair.model.busyCount
    #expect((0...32).contains(idle))
  }

  private func check(_ pair: Pair) throws {
    try #require(pair.table.running == pair.running.count && pair.table.waiting == pair.model.waiting.count)
  }

  private func submit(_ pair: inout Pair) {
    pair.last += 1
    // Most requests share 3 origins.
    let origins = pair.random.below(8) == 0 ? 200 : 3
    let origin = OriginNumber(UInt64(pair.random.below(origins)))
    let priority = pair.random.pick(Self.priorities)
    pair.origins[pair.last] = origin
    let expected = pair.model.submit(pair.last, origin, priority, time: pair.time)
    if pair.random.below(2) == 0, expected == .served {
      pair.slots[pair.last] = pair.table.take(of: origin, isExempt: priority.isExempt)
      #expect(pair.slots[pair.last] != nil)
      pair.running.append(pair.last)
      return
    }
    let entry = pair.table.enter(pair.last, for: origin, priority: priority, time: pair.time)
    switch entry {
    case .served(let slot):
      #expect(expected == .served)
      pair.slots[pair.last] = slot
      pair.running.append(pair.last)
    case .refused:
      #expect(expected == .refused)
      pair.refused += 1
    case .waits(let place, let shed):
      #expect(expected == .waits(shed: shed))
      if let shed {
        pair.shed += 1
        #expect(!pair.ended.contains(shed))
      }
      pair.places[pair.last] = place
      pair.slots[pair.last] = place.slot
    }
  }

  private func finish(_ pair: inout Pair) {
    guard !pair.running.isEmpty else { return }
    let id = pair.running.remove(at: pair.random.below(pair.running.count))
    guard let origin = pair.origins[id], let slot = pair.slots[id] else { return }
    let isFirstEnd = pair.ended.insert(id).inserted
    let wanted = pair.model.finish(id, origin)
    let started = pair.table.release(slot).map { [$0] } ?? []
    #expect(isFirstEnd && started == wanted)
    pair.running += started
  }

  /// A request that has already started or left must not change.
  private func cancel(_ pair: inout Pair) {
    guard let (id, place) = pair.places.randomElement(using: &pair.random) else { return }
    let isWaiting = pair.model.cancel(id)
    let left = pair.table.leave(place)
    let isFirstEnd = !isWaiting || pair.ended.insert(id).inserted
    #expect(left == (isWaiting ? id : nil) && isFirstEnd)
    if pair.random.below(4) > 0 { pair.places[id] = nil }
  }

  private func setLimit(_ limit: Int, _ pair: inout Pair) {
    let started = pair.table.setLimit(limit)
    start(started, as: pair.model.setLimit(limit), &pair)
  }

  private func setCap(_ cap: Int, _ pair: inout Pair) {
    let started = pair.table.setCap(cap)
    start(started, as: pair.model.setCap(cap), &pair)
  }

  private func setHeld(_ pair: inout Pair) {
    let isHeld = !pair.model.isHeld
    if isHeld { pair.table.hold() }
    let started = isHeld ? [] : pair.table.resume()
    start(started, as: pair.model.setHeld(isHeld), &pair)
  }

  /// The order between origins is undefined.
  private func start(_ started: [Int], as wanted: [Int], _ pair: inout Pair) {
    for origin in Set((started + wanted).compactMap { pair.origins[$0] }) {
      #expect(started.filter { pair.origins[$0] == origin } == wanted.filter { pair.origins[$0] == origin })
    }
    pair.running += started
  }
}
