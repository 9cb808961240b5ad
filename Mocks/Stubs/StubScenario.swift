import Errand

/// What a stub asks of the state of a scenario, and what it makes of it.
struct ScenarioStep: Sendable {
  /// The state in which every scenario begins.
  static let start = "started"

  let name: String
  /// `nil` for any.
  let required: String?
  /// `nil` to leave it.
  let next: String?

  /// What is other in the states of a mock, in words; `nil` when nothing is.
  func difference(in states: [String: String]) -> String? {
    let state = states[name] ?? Self.start
    guard let required, required != state else { return nil }
    return "scenario \(name) is \(state), not \(required)"
  }
}

/// A closure that answers for a stub.
enum StubClosure: Sendable {
  case prompt(@Sendable (ReceivedRequest) throws -> MockAnswer)
  case waiting(@Sendable (ReceivedRequest) async throws -> MockAnswer)

  /// This closure, whose answers get the header fields that they have none of.
  func adding(defaults headers: HTTPHeaders) -> StubClosure {
    switch self {
    case .prompt(let answer): .prompt { try answer($0).adding(defaults: headers) }
    case .waiting(let answer): .waiting { try await answer($0).adding(defaults: headers) }
    }
  }
}
