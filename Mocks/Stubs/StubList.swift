import ErrandJSON
import Errand

/// The list of the stubs of a mock; use the methods of the mock instead.
public final class StubList: Sendable {
  private let journal: any RequestJournal
  /// The stubs in matching order; stubs added later come first.
  private let uses = Locked<[StubUse]>([])
  let scenarios = ScenarioStates()

  init(_ journal: any RequestJournal) { self.journal = journal }

  func add(_ stubs: [Stub], isRoute: Bool = false) {
    let added = stubs.map { StubUse($0, calls: StubCalls(journal, of: $0.pattern), isRoute: isRoute) }
    scenarios.register(stubs.compactMap(\.step))
    uses.withLock { $0 = added + $0 }
  }

  func remove(_ stubs: [Stub]) { replace { $0.filter { !$0.isDerived(fromAnyOf: stubs) } } }

  func removeAll() { replace { _ in [] } }

  func reset() {
    for use in all { use.calls.reset() }
    scenarios.reset()
  }

  /// Counts a call of the first matching stub below its limit.
  ///
  /// Returns the stub and the number of its earlier calls.
  func taken(by request: ReceivedRequest) -> (use: StubUse, position: Int)? {
    let uses = uses.withLock { $0 }
    guard !uses.isEmpty else { return nil }
    var place = request.place
    for use in uses where use.pattern.matches(request.method, at: &place) {
      guard
        use.conditions.isEmpty
          || use.conditions.areMet(by: request.filled(for: use.pattern, in: &place))
      else { continue }
      if let position = take(use, number: request.number) { return (use, position) }
    }
    return nil
  }

  private func take(_ use: StubUse, number: Int) -> Int? {
    guard let step = use.step else { return use.calls.add(number, limit: use.limit) }
    return scenarios.take(step) { use.calls.add(number, limit: use.limit) }
  }

  func refusal(
    _ noun: String, of request: ReceivedRequest, sent: HTTPRequest?, beginsWithNearest: Bool = false,
    to target: (Redaction) -> String
  ) -> String {
    let stubs = all.map(\.stub)
    let redaction = NearestStubs.redaction(of: sent, among: stubs)
    return NearestStubs.message(
      noun, of: request, to: target(redaction), among: stubs, in: scenarios.current, hiding: redaction,
      beginsWithNearest: beginsWithNearest)
  }

  var all: [StubUse] { uses.withLock { $0 } }

  var unused: [(stub: Stub, count: Int)] {
    all.filter { !$0.isRoute }.map { (stub: $0.stub, count: $0.calls.count) }
      .filter { $0.count < $0.stub.counts.lowest }
  }

  var scenarioProblems: [String] { scenarios.problems(of: all.map(\.stub)) }

  func calls(of stubs: [Stub]) -> [(stub: Stub, request: ReceivedRequest)] {
    all.filter { $0.isDerived(fromAnyOf: stubs) }
      .flatMap { use in use.calls.requests.map { (stub: use.stub, request: $0) } }
      .sorted { $0.request.number < $1.request.number }
  }

  /// Returns the problem as the end of a sentence; `nil` if the mock has the stub or a derived stub.
  func problem(of stub: Stub) -> String? {
    let uses = all
    guard !uses.contains(where: { $0.isDerived(fromAnyOf: [stub]) }) else { return nil }
    let hasRelative = uses.contains { $0.stub.record.first === stub.record.first }
    return "does not belong to this mock\(hasRelative ? "; another stub from the same line does" : "")"
  }

  /// Changes the list, and releases the old list outside the lock.
  ///
  /// The release of a closure may run any code.
  private func replace(_ change: ([StubUse]) -> [StubUse]) {
    let old = uses.withLock { uses in
      let old = uses
      uses = change(old)
      return old
    }
    withExtendedLifetime(old) {}
  }
}

final class StubUse: Sendable {
  let stub: Stub
  let calls: StubCalls
  let isRoute: Bool
  // Copied from `stub`, because a request would otherwise copy the whole stub.
  let pattern: RequestPattern
  let conditions: [any StubCondition]
  let step: ScenarioStep?
  let limit: Int
  private let answers: [MockAnswer]
  let closure: StubClosure?

  init(_ stub: Stub, calls: StubCalls, isRoute: Bool) {
    self.stub = stub
    self.calls = calls
    self.isRoute = isRoute
    pattern = stub.pattern
    conditions = stub.conditions
    step = stub.step
    limit = stub.counts.highest ?? .max
    answers = stub.answers.isEmpty && stub.closure == nil ? [.status(200)] : stub.answers
    closure = stub.closure
    stub.record.add(calls)
  }

  func isDerived(fromAnyOf stubs: [Stub]) -> Bool {
    stubs.contains { stub.record.isDerived(from: $0.record) }
  }

  /// Returns the answer at a position; `nil` if the closure must answer.
  func answer(at position: Int) -> MockAnswer? {
    if position < answers.count { return answers[position] }
    return closure == nil ? answers[answers.count - 1] : nil
  }
}
