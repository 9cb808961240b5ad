import Errand
import ErrandMocks
import Foundation
import HTTPTypes
import OpenAPIRuntime
import Testing

@Suite("An agent as the transport of a generated client")
struct AgentClientTransportTests {
  static func text(_ body: HTTPBody?) async throws -> String? {
    guard let body else { return nil }
    var bytes: [UInt8] = []
    for try await chunk in body { bytes += chunk }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("A path below the base URL is sent with its fields and body, and any status is a response")
  func send() async throws {
    let server = try MockServer()
    server.route(.post, "/v1/users") { request in
      .text("\(request.headers["X-A"] ?? "") \(String(decoding: request.body, as: UTF8.self))", status: 404)
        .header("X-B", "1")
    }
    let transport = AgentClientTransport(agent: RequestAgent(baseURL: server.baseURL))
    let request = HTTPTypes.HTTPRequest(
      method: .post, scheme: nil, authority: nil, path: "/users?a=1",
      headerFields: [HTTPField.Name("X-A")!: "a"])
    let (head, body) = try await transport.send(
      request, body: HTTPBody("hello"), baseURL: server.baseURL.appendingPathComponent("v1/"),
      operationID: "createUser")
    #expect(head.status.code == 404 && head.headerFields[HTTPField.Name("X-B")!] == "1")
    #expect(try await Self.text(body) == "a hello")
    #expect(transport.agent.liveCount == 0)
  }

  @Test("The response to HEAD has no body, and a drained agent refuses the operation")
  func head() async throws {
    let server = try MockServer()
    server.route(.head, "/users", answers: .status(204))
    let transport = AgentClientTransport(agent: RequestAgent(baseURL: server.baseURL))
    let request = HTTPTypes.HTTPRequest(method: .head, scheme: nil, authority: nil, path: "/users")
    let (head, body) = try await transport.send(
      request, body: nil, baseURL: server.baseURL, operationID: "count")
    #expect(head.status.code == 204 && body == nil)
    await transport.agent.drain(within: .seconds(60))
    let error = await #expect(throws: RequestError.self) {
      try await transport.send(request, body: nil, baseURL: server.baseURL, operationID: "count")
    }
    #expect(error?.kind == .drained)
  }
}
