import Errand

final class ScenarioStates: Sendable {
  private struct State {
    var current: [String: String] = [:]
    /// For each scenario, the states that its stubs require or set, including stubs removed since.
    var known: [String: Set<String>] = [:]
    var targets: [String: Set<String>] = [:]
    /// The states set by `setState(_:ofScenario:)`, without repeats.
    var set: [ScenarioName] = []

    func reached(of scenario: String) -> Set<String> {
      (targets[scenario] ?? []).union(set.filter { $0.scenario == scenario }.map(\.state))
    }
  }

  private struct ScenarioName: Equatable {
    let scenario: String
    let state: String
  }

  /// Held by `take` from the check of a state to the change of the state.
  private let state = Locked(State())

  var current: [String: String] { state.withLock { $0.current } }

  func state(of scenario: String) -> String { current[scenario] ?? ScenarioStep.start }

  func set(_ new: String, of scenario: String) {
    state.withLock { state in
      state.current[scenario] = new
      let name = ScenarioName(scenario: scenario, state: new)
      if !state.set.contains(name) { state.set.append(name) }
    }
  }

  func register(_ steps: [ScenarioStep]) {
    guard !steps.isEmpty else { return }
    state.withLock { state in
      for step in steps {
        state.known[step.name, default: []].formUnion([step.required, step.next].compactMap(\.self))
        state.targets[step.name, default: []].formUnion([step.next].compactMap(\.self))
      }
    }
  }

  func take(_ step: ScenarioStep, count: () -> Int?) -> Int? {
    state.withLock { state in
      guard step.difference(in: state.current) == nil, let position = count() else { return nil }
      if let next = step.next { state.current[step.name] = next }
      return position
    }
  }

  func reset() { state.withLock { $0.current = [:] } }

  /// Returns probable misspellings of scenarios and states, in words.
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
