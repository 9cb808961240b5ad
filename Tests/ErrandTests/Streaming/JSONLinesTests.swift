import ErrandJSON
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A body as lines of JSON", .timeLimit(.minutes(2)))
struct JSONLinesTests {
  struct User: Codable, Sendable, Hashable {
    var id: Int
    var firstName: String?
  }

  private func users(
    _ text: String, coding: JSONCoding = .snakeCase
  ) async throws -> (elements: [User], error: (any Error)?) {
    var configuration = AgentConfiguration()
    configuration.jsonCoding = coding
    let agent = RequestAgent.answering(text, type: "application/x-ndjson", configuration)
    return await (try await agent.stream(.get("users"))).jsonLines(of: User.self).drained()
  }

  @Test(
    "Each line is a value decoded with the agent's coding, blank lines are skipped, and the last line needs no end"
  )
  func values() async throws {
    let found = try await users("{\"id\":1,\"first_name\":\"Ada\"}\n\n  \r\n{\"id\":2}\r\n { \"id\" : 3 } ")
    #expect(found.elements == [User(id: 1, firstName: "Ada"), User(id: 2), User(id: 3)])
    #expect(found.error == nil)
  }

  @Test("The request's coding precedes the agent's, and the request's decoder precedes both")
  func coding() async throws {
    let agent = RequestAgent.answering(#"{"id":1,"first_name":"Ada"}"#)
    let request = OneOffRequest.get("users")
    let plain = try await agent.stream(request).jsonLines(of: User.self).drained()
    let coded = try await agent.stream(request.with(\.jsonCoding, .snakeCase)).jsonLines(of: User.self)
      .drained()
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let own = try await agent.stream(request.with(\.jsonDecoder, decoder)).jsonLines(of: User.self).drained()
    #expect(plain.elements == [User(id: 1)])
    #expect(coded.elements == [User(id: 1, firstName: "Ada")] && own.elements == coded.elements)
  }

  @Test("The record separators of RFC 7464, and empty records, are skipped")
  func sequences() async throws {
    let found = try await users("\u{1E}{\"id\":1}\n\u{1E}\n\u{1E}\u{1E}{\"id\":2}\n")
    #expect(found.elements == [User(id: 1), User(id: 2)] && found.error == nil)
  }

  @Test("A single CR is a JSON blank, and ends no line")
  func carriageReturn() async throws {
    let found = try await users("{\"id\":\r1}\r\n{\"id\":2}")
    #expect(found.elements == [User(id: 1), User(id: 2)] && found.error == nil)
  }

  static let mistakes = [
    ("{\"id\":1}\n\n{\"id\":x}\n{\"id\":4}", "line 3, column 7: the line is not JSON: unexpected 'x'"),
    ("{\"id\":1}\n{\"id\":\"two\"}", "line 2, column 7: id: expected Int, found a string"),
    ("{\"id\":1}\n\u{1E}{\"id\":\"two\"}", "line 2, column 8: id: expected Int, found a string"),
    ("{\"id\":1}\n{\"first_name\":\"Ada\"}", "line 2, column 1: there is no \"id\""),
    ("{\"id\":1}\n{\"id\":", "line 2, column 7: the line is not JSON: the text ends too early"),
    ("{\"id\":1}\n{\"id\":1} {\"id\":2}", "line 2, column 10: the line is not JSON: unexpected '{'"),
  ]

  @Test("An invalid line ends the loop, and the error has the location", arguments: mistakes)
  func refused(_ text: String, _ reason: String) async throws {
    let found = try await users(text)
    let error = try #require(found.error as? RequestError)
    #expect(found.elements == [User(id: 1)] && error.reason == reason)
    #expect(error.kind == .decoding && error.stage == .decode && error.status == 200)
    #expect(error.cause(as: DecodingError.self)?.jsonPosition?.line == 1)
    #expect(error.hint == "Compare the decoded type with the server's data at the position above.")
  }

  @Test("A line over the limit is an error")
  func limit() async throws {
    let agent = RequestAgent.answering("{\"id\":1}\n{\"id\":  22}\n")
    let found = try await agent.stream(.get("users")).jsonLines(of: User.self, limit: 8).drained()
    #expect(found.elements == [User(id: 1)])
    #expect((found.error as? RequestError)?.reason == "a line is longer than its limit, 8 bytes")
  }

  struct Witness: Decodable, Sendable {
    let isOnMain: Bool
    init(from decoder: any Decoder) throws { isOnMain = Thread.isMainThread }
  }

  @MainActor
  @Test("Lines are decoded off the main actor, for a loop on any actor")
  func offMain() async throws {
    let agent = RequestAgent.answering("1\n2\n3\n")
    for try await witness in try await agent.stream(.get("users")).jsonLines(of: Witness.self) {
      MainActor.assertIsolated()
      #expect(!witness.isOnMain)
    }
  }
}
