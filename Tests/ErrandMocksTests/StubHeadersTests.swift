import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Header fields for the answers of several stubs")
struct StubHeadersTests {
  private struct GetUser: Request {
    typealias Response = [String: Int]
    let path = "users/7"
  }

  private static let stubs = [
    Stub(.get, "/a", answers: .json("{}"), .status(503)), Stub(.get, "/b"),
    Stub(.get, "/c") { _ in .text("c").header("X-API-Version", "9") },
    Stub(answering: GetUser(), with: ["id": 7]),
  ].answering(withHeaders: ["X-API-Version": "3", "Content-Type": "text/html"])

  private func heads(_ send: (String) async throws -> HTTPResponse) async throws -> [String] {
    var found: [String] = []
    for path in ["a", "a", "b", "c", "users/7"] {
      let head = try await send(path)
      let fields = [head.headers["X-API-Version"], head.headers["Content-Type"]].map { $0 ?? "none" }
      found.append("\(path) \(head.status.code) \(fields.joined(separator: " "))")
    }
    return found
  }

  private static let wanted = [
    "a 200 3 application/json", "a 503 3 text/html", "b 200 3 text/html", "c 200 9 text/plain; charset=utf-8",
    "users/7 200 3 application/json",
  ]

  @Test("Every answer of lists, closures and typed stubs has the fields, and an answer's own field wins")
  func transport() async throws {
    let agent = RequestAgent(baseURL: "http://a.example", transport: MockTransport(Self.stubs))
    let found = try await heads { path in
      try await agent.send(OneOffRequest<HTTPResponse>(path, response: .response).with(\.validators, []))
    }
    #expect(found == Self.wanted)
  }

  @Test("Stubs of a server have the fields, and calls also count for the original stubs")
  func server() async throws {
    let server = try MockServer()
    let plain = Stub(.get, "/a")
    let made = [plain].answering(withHeaders: ["X-A": "1"])
    for stub in made { server.add(stub) }
    let agent = RequestAgent(baseURL: server.baseURL)
    let answer = try await agent.response(for: .get("a")).response
    #expect(answer.headers["X-A"] == "1" && made[0].calls.count == 1 && plain.calls.count == 1)
  }
}
