import ErrandMocks

@testable import Errand

final class GatedServer: Sendable {
  private struct State {
    var gates: [String: OneTime<MockAnswer>] = [:]
    var arrivals: [String: OneTime<Bool>] = [:]
    var paths: [String] = []
  }

  private let state = Locked(State())

  func agent(
    accessories: [any Accessory] = [], configuration: AgentConfiguration = .init()
  ) -> RequestAgent {
    .mocked(
      by: MockTransport { [self] request in try await answer(to: String(request.path.dropFirst())) },
      accessories: accessories, configuration: configuration)
  }

  var paths: [String] { state.withLock { $0.paths } }

  /// Before or after the request.
  func open(_ path: String, _ answer: MockAnswer? = nil) {
    gate(path).set(answer ?? .text(path))
  }

  func arrival(of path: String) async throws { _ = try await arrivals(path).wait() }

  private func answer(to path: String) async throws -> MockAnswer {
    state.withLock { $0.paths.append(path) }
    arrivals(path).set(true)
    return try await gate(path).wait()
  }

  private func gate(_ path: String) -> OneTime<MockAnswer> {
    state.withLock { state in
      let gate = state.gates[path] ?? OneTime()
      state.gates[path] = gate
      return gate
    }
  }

  private func arrivals(_ path: String) -> OneTime<Bool> {
    state.withLock { state in
      let arrival = state.arrivals[path] ?? OneTime()
      state.arrivals[path] = arrival
      return arrival
    }
  }
}
