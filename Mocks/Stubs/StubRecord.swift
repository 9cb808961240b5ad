import Errand

/// What knows one stub from another, what it was made of, and where it was used; the same in each copy of it.
final class StubRecord: Sendable {
  /// Of the stub that it was made of; `nil` where it was made of none.
  private let origin: StubRecord?
  /// Its own, and those of what was made of it, in the order in which they were given to mocks.
  private let uses = Locked<[StubCalls]>([])

  init(of origin: StubRecord? = nil) { self.origin = origin }

  /// Of the first stub of those that were made of each other.
  var first: StubRecord {
    var record = self
    while let origin = record.origin { record = origin }
    return record
  }

  /// Whether it is that one, or was made of it in any number of steps.
  func isMade(of other: StubRecord) -> Bool {
    var record: StubRecord? = self
    while let next = record, next !== other { record = next.origin }
    return record != nil
  }

  /// One mock after the other, those of each in their order.
  var requests: [ReceivedRequest] {
    var places: [ObjectIdentifier: Int] = [:]
    var lists: [[ReceivedRequest]] = []
    for use in uses.withLock({ $0 }) {
      let place = places[use.mock] ?? lists.count
      if place == lists.count { lists.append([]) }
      places[use.mock] = place
      lists[place] += use.requests
    }
    return lists.flatMap { $0.sorted { $0.number < $1.number } }
  }

  func add(_ calls: StubCalls) {
    var record: StubRecord? = self
    while let next = record {
      next.uses.withLock { $0.append(calls) }
      record = next.origin
    }
  }

  /// Why its calls tell nothing, as the end of a sentence; `nil` when they do.
  var problem: String? {
    guard isUnused else { return nil }
    guard !first.isUnused else { return "was given to no mock" }
    let count = first.requests.count
    return
      "was given to no mock; another one of its line was, and answered \(count) request\(count == 1 ? "" : "s")"
  }

  private var isUnused: Bool { uses.withLock { $0.isEmpty } }
}
