import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("Credentials by origin")
struct OriginAuthenticatorTests {
  private func agent(
    _ authenticators: [URL: any Authenticator], _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) throws -> (RequestAgent, FunctionTransport) {
    let bases = try ["https://a.example", "https://b.example", "https://c.example"].map {
      try #require(URL(string: $0))
    }
    var configuration = AgentConfiguration()
    configuration.failover = Failover(bases, order: .roundRobin)
    configuration.authenticator = OriginAuthenticator(authenticators)
    let transport = FunctionTransport { request, _ in answer(request) }
    return (RequestAgent(transport: transport, configuration: configuration), transport)
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private static func basic(_ name: String) throws -> BasicAuthenticator {
    BasicAuthenticator(try #require(BasicCredentials(username: name, password: "s3cret-\(name)")))
  }

  @Test("Each base gets its own credentials, and a base without credentials gets none")
  func each() async throws {
    let (agent, transport) = try agent([
      url("https://a.example/v1"): try Self.basic("ada"), url("https://b.example"): try Self.basic("bob"),
    ]) { _ in HTTPResponse() }
    for _ in 0..<3 { try await agent.send(.get("x")) }
    let expected = ["ada", "bob"].map { "Basic " + Data("\($0):s3cret-\($0)".utf8).base64EncodedString() }
    #expect(transport.requests.map { $0.headers["Authorization"] } == expected + [nil])
  }

  @Test("A renewal is asked of the authenticator of the refused request")
  func renewal() async throws {
    let recorder = Recorder()
    func bearer(_ name: String) -> BearerAuthenticator {
      BearerAuthenticator(BearerAuthenticator.Credential(accessToken: "old-\(name)")) { _, _ in
        recorder.add("renew \(name)")
        return BearerAuthenticator.Credential(accessToken: "new-\(name)")
      }
    }
    let (agent, transport) = try agent([
      url("https://a.example"): bearer("a"), url("https://b.example"): bearer("b"),
    ]) { request in
      HTTPResponse(status: request.headers["Authorization"] == "Bearer old-b" ? 401 : 200)
    }
    for _ in 0..<2 { try await agent.send(.get("x")) }
    #expect(recorder.events == ["renew b"])
    #expect(
      transport.requests.map { $0.headers["Authorization"] } == [
        "Bearer old-a", "Bearer old-b", "Bearer new-b",
      ])
  }

  @Test("The secrets of all authenticators are hidden")
  func hidden() async throws {
    let (agent, _) = try agent([url("https://a.example"): try Self.basic("ada")]) { _ in
      HTTPResponse(status: 500)
    }
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x?q=s3cret-ada")) }
    #expect(!error.description.contains("s3cret-ada"))
  }
}
