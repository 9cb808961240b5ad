import ErrandJSON
import Errand

/// The stubs of one mock, in the order in which they are asked.
///
/// It is public only as a mock names it; ask the mock.
public final class StubList: Sendable {
  private let journal: any RequestJournal
  /// A request takes the list as it is, and is answered by it whatever is added meanwhile.
  private let uses = Locked<[StubUse]>([])
  let scenarios = ScenarioStates()

  init(_ journal: any RequestJournal) { self.journal = journal }

  /// Adds stubs before those that are there, to be asked in their order.
  func add(_ stubs: [Stub], isRoute: Bool = false) {
    let added = stubs.map { StubUse($0, calls: StubCalls(journal, of: $0.pattern), isRoute: isRoute) }
    scenarios.register(stubs.compactMap(\.step))
    uses.withLock { $0 = added + $0 }
  }

  /// Takes stubs away, and what was made of them; none of them is missed any more.
  func remove(_ stubs: [Stub]) { replace { $0.filter { !$0.isMade(ofAnyOf: stubs) } } }

  func removeAll() { replace { _ in [] } }

  /// Lets all stubs and scenarios begin anew.
  func reset() {
    for use in all { use.calls.reset() }
    scenarios.reset()
  }

  /// The first stub that matches and is not spent, and how many answers it has given before.
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

  /// The message about a request that nothing answers.
  ///
  /// - Parameters:
  ///   - noun: what the stubs are called.
  ///   - sent: the request as it was given, which knows the secrets of its dispatch; `nil` when it is not known.
  ///   - beginsWithNearest: whether the first line says what the nearest stub lacks.
  ///   - target: its URL or target, written with what is to be hidden.
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

  /// Those that have answered less often than they say; no routes.
  var unused: [(stub: Stub, count: Int)] {
    all.filter { !$0.isRoute }.map { (stub: $0.stub, count: $0.calls.count) }
      .filter { $0.count < $0.stub.counts.lowest }
  }

  /// What is wrong with the scenarios, in words.
  var scenarioProblems: [String] { scenarios.problems(of: all.map(\.stub)) }

  /// The requests of the mock that some stubs, or what was made of them, have answered, each with the one that did.
  func calls(of stubs: [Stub]) -> [(stub: Stub, request: ReceivedRequest)] {
    all.filter { $0.isMade(ofAnyOf: stubs) }
      .flatMap { use in use.calls.requests.map { (stub: use.stub, request: $0) } }
      .sorted { $0.request.number < $1.request.number }
  }

  /// Why a stub can have no calls here, as the end of a sentence; `nil` when it can.
  func problem(of stub: Stub) -> String? {
    let uses = all
    guard !uses.contains(where: { $0.isMade(ofAnyOf: [stub]) }) else { return nil }
    let hasRelative = uses.contains { $0.stub.record.first === stub.record.first }
    return "is no stub of this mock\(hasRelative ? "; another one of its line is" : "")"
  }

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

  /// Whether its stub is one of those, or was made of one.
  func isMade(ofAnyOf stubs: [Stub]) -> Bool { stubs.contains { stub.record.isMade(of: $0.record) } }

  /// The answer after so many others, of which the last one repeats; `nil` when the closure is to answer.
  func answer(at position: Int) -> MockAnswer? {
    if position < answers.count { return answers[position] }
    return closure == nil ? answers[answers.count - 1] : nil
  }
}
