import ErrandJSON
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A whole body as lines of JSON") struct JSONLinesResponseTests {
  typealias User = JSONLinesTests.User

  struct ListUsers: Request {
    typealias Response = [User]
    let path = "users"
    var responseSerializer: any ResponseSerializer<[User]> { .jsonLines() }
    var validators: [any ResponseValidator] { [.status(200..<300), .contentType] }
  }

  private func users(_ body: String, type: String = "application/x-ndjson") async throws -> [User] {
    var configuration = AgentConfiguration()
    configuration.jsonCoding = .snakeCase
    return try await RequestAgent.answering(body, type: type, configuration).send(ListUsers())
  }

  @Test(
    "Each line is a value, decoded with the agent's coding, and blank lines and record separators are skipped",
    arguments: [
      ("", []), ("\n \r\n", []), ("{\"id\":1,\"first_name\":\"Ada\"}", [User(id: 1, firstName: "Ada")]),
      ("{\"id\":1}\n\n  \r\n{\"id\":2}\r\n { \"id\" : 3 } ", [User(id: 1), User(id: 2), User(id: 3)]),
      ("\u{1E}{\"id\":1}\n\u{1E}\n\u{1E}\u{1E}{\"id\":2}\n", [User(id: 1), User(id: 2)]),
      ("\u{FEFF}{\"id\":\r1}\n", [User(id: 1)]),
    ] as [(String, [User])])
  func values(_ body: String, _ expected: [User]) async throws {
    #expect(try await users(body) == expected)
  }

  @Test(
    "An invalid line is the error of the whole response, with the location",
    arguments: JSONLinesTests.mistakes
  )
  func refused(_ body: String, _ reason: String) async throws {
    let error = try #require(await #expect(throws: RequestError.self) { try await users(body) })
    #expect(error.reason == reason && error.kind == .decoding && error.stage == .decode)
    #expect(error.cause(as: DecodingError.self)?.jsonPosition?.line == 1)
  }

  @Test("The request accepts the content types of JSON lines, and the response is checked for these types")
  func types() async throws {
    let transport = MockTransport { _ in .json("1\n2").header("Content-Type", "application/jsonl") }
    let agent = RequestAgent(baseURL: "https://api.example.com", transport: transport)
    let request = OneOffRequest<[Int]>("numbers", response: .jsonLines())
    #expect(try await agent.send(request.with(\.validators, [.contentType])) == [1, 2])
    #expect(transport.requests.first?.headers["Accept"] == "application/x-ndjson, application/jsonl")
    let error = await #expect(throws: RequestError.self) { try await users("{\"id\":1}", type: "text/html") }
    #expect(error?.reason == "content type text/html is not application/x-ndjson or application/jsonl")
  }
}
