import ErrandMocks
import ErrandService
import Foundation
import Testing

@testable import Errand

@Suite("Uploads over several bases", .timeLimit(.minutes(5)))
struct FailoverUploadTests {
  private func agent(
    _ order: Failover.Order, start location: String,
    options: @escaping @Sendable (HTTPRequest) -> HTTPResponse = { _ in HTTPResponse(status: 204) }
  ) throws -> (RequestAgent, FunctionTransport) {
    var configuration = AgentConfiguration()
    configuration.failover = Failover(try ["a", "b"].map(FailoverTests.base), order: order)
    configuration.headers = ["X-Key": "k"]
    let transport = FunctionTransport { request, _ in
      if request.method == .options { return options(request) }
      if request.method == .post { return HTTPResponse(status: 201, headers: ["Location": location]) }
      let offset = Int(request.headers["Upload-Offset"] ?? "") ?? 0
      return HTTPResponse(status: 204, headers: ["Upload-Offset": "\(offset + 4)"])
    }
    return (RequestAgent(transport: transport, configuration: configuration), transport)
  }

  private func log(_ transport: FunctionTransport) -> [String] {
    transport.requests.map { "\($0.method) \($0.url.host?.prefix(1) ?? "") \($0.headers["X-Key"] ?? "-")" }
  }

  @Test("An upload outside of the path of the base gets the agent's fields at each base")
  func outside() async throws {
    let (agent, transport) = try agent(.roundRobin, start: "/files/7")
    for _ in 0..<2 {
      _ = try await agent.upload(.data(Data("1234".utf8)), to: .post("files"), by: .tus(chunkSize: 4))
    }
    #expect(log(transport) == ["POST a k", "PATCH a k", "POST b k", "PATCH b k"])
    #expect(transport.requests.last?.url.absoluteString == "https://b.example/files/7")
  }

  @Test("An upload starts at the base of the first request, also after a redirect")
  func redirected() async throws {
    let (agent, transport) = try agent(.first, start: "/v1/files/7") { request in
      request.url.host == "a.example"
        ? HTTPResponse(status: 307, headers: ["Location": "https://b.example/v1/files"])
        : HTTPResponse(status: 204)
    }
    _ = try await agent.upload(
      .data(Data("1234".utf8)), to: .post("files"), by: .tus(chunkSize: 4, checksums: true))
    #expect(log(transport).map { $0.dropLast(2) } == ["OPTIONS a", "OPTIONS b", "POST a", "PATCH a"])
  }
}
