import Errand

struct ScenarioStep: Sendable {
  static let start = "started"

  let name: String
  /// The state in which the stub answers; `nil`: any state.
  let required: String?
  /// The state after an answer; `nil`: unchanged.
  let next: String?

  func difference(in states: [String: String]) -> String? {
    let state = states[name] ?? Self.start
    guard let required, required != state else { return nil }
    return "scenario \(name) is \(state), not \(required)"
  }
}

enum StubClosure: Sendable {
  case prompt(@Sendable (ReceivedRequest) throws -> MockAnswer)
  case waiting(@Sendable (ReceivedRequest) async throws -> MockAnswer)

  func adding(defaults headers: HTTPHeaders) -> StubClosure {
    switch self {
    case .prompt(let answer): .prompt { try answer($0).adding(defaults: headers) }
    case .waiting(let answer): .waiting { try await answer($0).adding(defaults: headers) }
    }
  }
}
