import ErrandMocks
import Foundation

@testable import Errand

enum ReportedExchange {
  static func agent(
    _ clock: TestClock, _ change: (inout AgentConfiguration) -> Void = { _ in },
    hooks: [any RequestHooks] = [], answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock, date: Date(timeIntervalSince1970: 1_800_000_000))
    configuration.jitter = { 0 }
    change(&configuration)
    return .mocked(
      by: MockTransport(clock: clock, answer: answer), hooks: hooks, configuration: configuration)
  }

  struct Fetch: Request {
    typealias Response = String
    let path: String
    let method: HTTPMethod
    var responseSerializer: any ResponseSerializer<String> { .text }

    init(_ path: String, _ method: HTTPMethod = .get) {
      self.path = path
      self.method = method
    }
  }

  struct Mocked: Request {
    typealias Response = String
    var path: String { "mocked" }
    var responseSerializer: any ResponseSerializer<String> { .text }
    var mockPolicy: MockPolicy { .always }

    func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
      HTTPResponse(status: 200, body: Data("mock".utf8))
    }
  }

  /// Cancels all dispatches of the agent before the first attempt.
  struct Canceller: Accessory {
    let agent: RequestAgent
    init(_ agent: RequestAgent) { self.agent = agent }
    func requestWillStart(_ context: RequestContext) async { agent.cancelAll() }
  }
}
