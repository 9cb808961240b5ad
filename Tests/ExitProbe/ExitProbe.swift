import Errand
import ErrandMocks
import Foundation

/// Ends its process with a hundred requests in flight; a test runs it and reads what it prints.
@main
struct ExitProbe {
  static func main() async throws {
    let server = try MockServer()
    server.route(.get, "/late", .status(204).delayed(by: .seconds(3600)))
    server.route(.get, "/slow", .chunks([Data("a".utf8), Data("b".utf8)], gap: .seconds(3600)))
    let agent = RequestAgent(baseURL: server.baseURL)
    agent.maxRequestsPerOrigin = 0
    for index in 0..<100 {
      agent.start(.get(index % 2 == 0 ? "late" : "slow", as: String.self), on: .global()) { _ in
        print("an outcome came before the end")
      }
    }
    await server.waitForRequests(100)
    print("\(agent.liveCount) in flight")
    exit(0)
  }
}
