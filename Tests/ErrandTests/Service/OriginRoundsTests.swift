import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("Authenticators of several origins")
struct OriginRoundsTests {
  private func send(
    _ count: Int, to bases: [String], by authenticators: [String: any Authenticator],
    status: HTTPResponse.Status
  ) async throws -> [HTTPRequest] {
    func url(_ text: String) throws -> URL { try #require(URL(string: text)) }
    var byURL: [URL: any Authenticator] = [:]
    for (text, authenticator) in authenticators { byURL[try url(text)] = authenticator }
    var configuration = AgentConfiguration()
    configuration.failover = Failover(try bases.map(url), order: .roundRobin)
    configuration.authenticator = OriginAuthenticator(byURL)
    let transport = FunctionTransport { _, _ in HTTPResponse(status: status) }
    let agent = RequestAgent(transport: transport, configuration: configuration)
    for _ in 0..<count { _ = try? await agent.send(.get("x")) }
    return transport.requests
  }

  @Test("Each authenticator keeps its own number of rounds")
  func rounds() async throws {
    let (a, b) = ("https://a.example", "https://b.example")
    let requests = try await send(
      2, to: [a, b], by: [a: Renewer(maximumRounds: 1), b: Renewer(maximumRounds: 3)], status: 401)
    #expect(requests.map { $0.url.host?.prefix(1) ?? "" }.joined() == "aabbbb")
  }

  @Test("Of two URLs with the same origin, the URL whose text sorts first counts")
  func sameOrigin() async throws {
    var authenticators: [String: any Authenticator] = [:]
    for number in 1...8 {
      let credentials = try #require(BasicCredentials(username: "ada", password: "\(number)"))
      authenticators["https://a.example/\(number)"] = BasicAuthenticator(credentials)
    }
    let requests = try await send(1, to: ["https://a.example"], by: authenticators, status: 200)
    let expected = "Basic " + Data("ada:1".utf8).base64EncodedString()
    #expect(requests.map { $0.headers["Authorization"] } == [expected])
  }
}

private struct Renewer: Authenticator {
  let maximumRounds: Int

  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    request.headers["X-Round"] = "\(context.round)"
  }

  func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool { true }
}
