import Errand
import ErrandMocks
import Foundation

/// A process that tests run to read what it prints.
@main
struct ExitProbe {
  static func main() async throws {
    if CommandLine.arguments.last == "mistakes" { try await sendMistakes() } else { try await exitInFlight() }
  }

  /// A request whose headers are not those of `Request`.
  private struct Careless<Value: Decodable & Sendable>: Request {
    typealias Response = Value
    let headers = ["X-Key": "s3cret"]
  }

  /// Sends requests of two careless types, each many times and in several ways.
  private static func sendMistakes() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("1") })
    for _ in 0..<3 {
      _ = try await agent.send(Careless<Double>())
      _ = try await agent.start(Careless<Double>().with(\.timeout, .seconds(5))).value
      for try await _ in try await agent.stream(Careless<Int>()).body {}
      _ = try await agent.send(.get("1", as: Int.self))
    }
  }

  /// Ends its process with a hundred requests in flight.
  private static func exitInFlight() async throws {
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
