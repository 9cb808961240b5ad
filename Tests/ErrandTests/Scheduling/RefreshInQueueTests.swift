import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Slots: the renewal of credentials", .timeLimit(.minutes(5)))
struct RefreshInQueueTests {
  private struct Renewal: Request {
    typealias Response = String
    let path = "token"
    var isSerial = true
    var authentication: Authentication { .none }
  }

  @Test(
    "A renewal does not wait for the slots and turns of dispatches that wait for the renewal",
    arguments: [false, true])
  func renewal(_ isSerial: Bool) async throws {
    let transport = FunctionTransport { request, _ in
      HTTPResponse(status: 200, body: Data((request.headers["Authorization"] ?? "new").utf8))
    }
    var configuration = AgentConfiguration()
    configuration.maxRequestsPerOrigin = 1
    configuration.authenticator = BearerAuthenticator(nil) { _, context in
      BearerAuthenticator.Credential(accessToken: try await context.send(Renewal()))
    }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    let request = OneOffRequest.get("x", as: String.self).with(\.isSerial, isSerial)
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await agent.send(request) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(texts == Array(repeating: "Bearer new", count: 20))
    #expect(transport.requests.count == 21 && agent.runningCount == 0 && agent.waitingCount == 0)
  }
}
