import Errand

/// The scenarios of one mock, with the current states and the names used by stubs and the test.
final class ScenarioStates: Sendable {
  private struct State {
    /// The current state by scenario, without scenarios still in the initial state.
    var current: [String: String] = [:]
    /// The states that stubs require or lead to, by scenario; includes removed stubs.
    var known: [String: Set<String>] = [:]
    /// The states that stubs lead to, by scenario.
    var targets: [String: Set<String>] = [:]
    /// The states set by the test, without duplicates, in order.
    var set: [ScenarioName] = []

    /// Returns the reachable states of a scenario, besides the initial state.
    func reached(of scenario: String) -> Set<String> {
      (targets[scenario] ?? []).union(set.filter { $0.scenario == scenario }.map(\.state))
    }
  }

  private struct ScenarioName: Equatable {
    let scenario: String
    let state: String
  }

  /// The states.
  ///
  /// A request holds the lock from the check of the state to the change of the state.
  private let state = Locked(State())

  /// The current states by scenario, without scenarios still in the initial state.
  var current: [String: String] { state.withLock { $0.current } }

  func state(of scenario: String) -> String { current[scenario] ?? ScenarioStep.start }

  func set(_ new: String, of scenario: String) {
    state.withLock { state in
      state.current[scenario] = new
      let name = ScenarioName(scenario: scenario, state: new)
      if !state.set.contains(name) { state.set.append(name) }
    }
  }

  /// Records the names in the steps of stubs.
  func register(_ steps: [ScenarioStep]) {
    guard !steps.isEmpty else { return }
    state.withLock { state in
      for step in steps {
        state.known[step.name, default: []].formUnion([step.required, step.next].compactMap(\.self))
        state.targets[step.name, default: []].formUnion([step.next].compactMap(\.self))
      }
    }
  }

  /// Takes a step if the scenario is in the required state and `count` returns a call number.
  func take(_ step: ScenarioStep, count: () -> Int?) -> Int? {
    state.withLock { state in
      guard step.difference(in: state.current) == nil, let position = count() else { return nil }
      if let next = step.next { state.current[step.name] = next }
      return position
    }
  }

  /// Returns all scenarios to the initial state.
  func reset() { state.withLock { $0.current = [:] } }

  /// Returns the probable misspellings, in words: names set by the test and unknown to stubs, and required
  /// states that no stub or test sets.
  func problems(of stubs: [Stub]) -> [String] {
    let state = state.withLock { $0 }
    return state.set.compactMap { Self.problem(of: $0, in: state) }
      + stubs.compactMap { Self.problem(of: $0, in: state) }
  }

  private static func problem(of name: ScenarioName, in state: State) -> String? {
    let (scenario, set) = (quoted(name.scenario), quoted(name.state))
    guard let known = state.known[name.scenario] else {
      let others = listed(state.known.keys)
      return "no stub belongs to the scenario \(scenario), which was set to \(set)\(others)"
    }
    guard name.state != ScenarioStep.start, !known.contains(name.state) else { return nil }
    return "the scenario \(scenario) was set to \(set), a state without a stub\(listed(known))"
  }

  private static func problem(of stub: Stub, in state: State) -> String? {
    guard let step = stub.step, let required = step.required, required != ScenarioStep.start
    else { return nil }
    let reached = state.reached(of: step.name)
    guard !reached.contains(required) else { return nil }
    let (scenario, wanted) = (quoted(step.name), quoted(required))
    let others = listed(reached)
    return
      "\(stub) requires the state \(wanted) of the scenario \(scenario), which no stub or test sets\(others)"
  }

  private static func listed(_ names: some Collection<String>) -> String {
    guard !names.isEmpty else { return "" }
    let list = names.sorted().map(quoted).joined(separator: ", ")
    return "; known: \(list)"
  }

  private static func quoted(_ name: String) -> String { "\"\(Redaction.standard.text(name))\"" }
}
