import ErrandJSON
import Errand

/// The stubs of one mock, in the order in which they are asked.
///
/// It is public only as a mock names it; ask the mock.
public final class StubList: Sendable {
  private let journal: any RequestJournal
  /// A request takes the list as it is, and is answered by it whatever is added meanwhile.
  private let uses = Locked<[StubUse]>([])
  /// The states of the scenarios that have left the first one; held while a stub with a step takes a request.
  private let scenarios = Locked<[String: String]>([:])

  init(_ journal: any RequestJournal) { self.journal = journal }

  /// Adds stubs before those that are there, to be asked in their order.
  func add(_ stubs: [Stub], isRoute: Bool = false) {
    let added = stubs.map { StubUse($0, StubCalls(journal), isRoute: isRoute) }
    uses.withLock { $0 = added + $0 }
  }

  /// Takes stubs away; none of them is missed any more.
  func remove(_ stubs: [Stub]) {
    let records = stubs.map { ObjectIdentifier($0.record) }
    replace { $0.filter { !records.contains(ObjectIdentifier($0.stub.record)) } }
  }

  func removeAll() { replace { _ in [] } }

  /// Lets all stubs and scenarios begin anew.
  func reset() {
    for use in all { use.calls.reset() }
    scenarios.withLock { $0 = [:] }
  }

  /// The first stub that matches and is not spent, and how many answers it has given before.
  func taken(by request: ReceivedRequest) -> (use: StubUse, position: Int)? {
    let uses = uses.withLock { $0 }
    guard !uses.isEmpty else { return nil }
    let place = request.place
    for use in uses where use.pattern.matches(request.method, place) {
      guard use.conditions.isEmpty || use.conditions.areMet(by: request.filled(for: use.pattern)) else {
        continue
      }
      if let position = take(use, request.number) { return (use, position) }
    }
    return nil
  }

  private func take(_ use: StubUse, _ number: Int) -> Int? {
    guard let step = use.step else { return use.calls.add(number, limit: use.limit) }
    return scenarios.withLock { states in
      guard step.difference(in: states) == nil else { return nil }
      let position = use.calls.add(number, limit: use.limit)
      if position != nil, let next = step.next { states[step.name] = next }
      return position
    }
  }

  /// The message about a request that nothing answers.
  ///
  /// - Parameters:
  ///   - noun: what the stubs are called.
  ///   - sent: the request as it was given, which knows the secrets of its dispatch; `nil` when it is not known.
  ///   - target: its URL or target, written with what is to be hidden.
  func refusal(
    _ noun: String, of request: ReceivedRequest, _ sent: HTTPRequest?, to target: (Redaction) -> String
  ) -> String {
    let stubs = all.map(\.stub)
    let redaction = NearestStubs.redaction(of: sent, among: stubs)
    return NearestStubs.message(
      noun, request, to: target(redaction), among: stubs, in: scenarios.withLock { $0 }, hiding: redaction)
  }

  var all: [StubUse] { uses.withLock { $0 } }

  /// Those that have answered less often than they say; no routes.
  var unused: [(stub: Stub, count: Int)] {
    all.filter { !$0.isRoute }.map { (stub: $0.stub, count: $0.calls.count) }
      .filter { $0.count < $0.stub.counts.lowest }
  }

  /// The requests of the mock that a stub has answered.
  func calls(of stub: Stub) -> [ReceivedRequest] {
    all.filter { $0.stub.record === stub.record }.flatMap(\.calls.requests)
      .map { $0.filled(for: stub.pattern) }
  }

  /// Which scenario is in which state.
  func state(of scenario: String) -> String { scenarios.withLock { $0[scenario] ?? ScenarioStep.start } }

  func setState(_ state: String, of scenario: String) { scenarios.withLock { $0[scenario] = state } }

  /// What the old list held is released after the lock: a closure's last reference may run anything.
  private func replace(_ change: ([StubUse]) -> [StubUse]) {
    let old = uses.withLock { uses in
      let old = uses
      uses = change(old)
      return old
    }
    withExtendedLifetime(old) {}
  }
}

/// A stub in one mock.
final class StubUse: Sendable {
  let stub: Stub
  let calls: StubCalls
  /// Whether it is a route of a server, which nobody misses.
  let isRoute: Bool
  // What is looked at for each request, apart: copying a stub would cost more than the look.
  let pattern: RequestPattern
  let conditions: [any StubCondition]
  let step: ScenarioStep?
  let limit: Int
  private let answers: [MockAnswer]
  let closure: StubClosure?

  init(_ stub: Stub, _ calls: StubCalls, isRoute: Bool) {
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

  /// The answer after so many others, of which the last one repeats; `nil` when the closure is to answer.
  func answer(at position: Int) -> MockAnswer? {
    if position < answers.count { return answers[position] }
    return closure == nil ? answers[answers.count - 1] : nil
  }
}
