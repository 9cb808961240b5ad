import Errand

final class StubRecord: Sendable {
  private let origin: StubRecord?
  /// The calls of the stub and of derived stubs, one element for each use in a mock.
  private let uses = Locked<[StubCalls]>([])

  init(of origin: StubRecord? = nil) { self.origin = origin }

  var first: StubRecord {
    var record = self
    while let origin = record.origin { record = origin }
    return record
  }

  func isDerived(from other: StubRecord) -> Bool {
    var record: StubRecord? = self
    while let next = record, next !== other { record = next.origin }
    return record != nil
  }

  /// The requests, grouped by mock; within a mock in order of arrival.
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

  var problem: String? {
    guard isUnused else { return nil }
    guard !first.isUnused else { return "belongs to no mock" }
    let count = first.requests.count
    return
      "belongs to no mock; another stub from the same line answered \(count) request\(count == 1 ? "" : "s")"
  }

  private var isUnused: Bool { uses.withLock { $0.isEmpty } }
}
