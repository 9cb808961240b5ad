import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A secret")
struct SecretTests {
  struct Login: Request {
    typealias Response = Token
    var user = "ada"
    var password: Secret = "correct horse"
    var spare: [Secret?] = [nil, "battery staple"]
    var path: String { "login/\(password.reveal())" }
    let method = HTTPMethod.post
    var parameters: Parameters { ["user": user, "pin": password, "old": .list(1, password)] }
  }

  struct Token: Codable, Sendable, Equatable { var token: Secret }

  @Test("A secret prints as redacted in every form")
  func printed() {
    let secret: Secret = "hunter2"
    var dumped = ""
    dump([secret], to: &dumped)
    dump(Login(), to: &dumped)
    let texts = ["\(secret)", String(reflecting: secret), "\([secret])", "\(Token(token: secret))", dumped]
    #expect(texts[0] == "<redacted>" && texts[1] == "<redacted>" && texts[2] == "[<redacted>]")
    #expect(texts[3] == "Token(token: <redacted>)")
    for text in texts { #expect(!text.contains("hunter2") && !text.contains("horse")) }
    #expect(Mirror(reflecting: secret).children.isEmpty)
    #expect(secret.reveal() == "hunter2" && secret == Secret("hunter2") && secret != "hunter3")
  }

  @Test("A secret is a string in JSON, in both directions")
  func coding() throws {
    let token = try JSONDecoder().decode(Token.self, from: Data(#"{"token":"a\"b"}"#.utf8))
    #expect(token.token.reveal() == "a\"b")
    #expect(String(decoding: try JSONEncoder().encode(token), as: UTF8.self) == #"{"token":"a\"b"}"#)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Token.self, from: Data(#"{"token":7}"#.utf8))
    }
  }

  @Test("Every serializer sends the secret's value, and the secret describes itself")
  func sent() throws {
    let parameters: Parameters = ["pin": Secret("a b"), "all": Set<Secret>(["z", "y"])]
    #expect(try ParameterEncoding().encode(parameters) == "pin=a%20b&all%5B%5D=y&all%5B%5D=z")
    let json = try RequestSerializer.json.body(of: parameters).data
    #expect(json == Data(#"{"pin":"a b","all":["y","z"]}"#.utf8))
    #expect("\(parameters.node(for: "pin")!)" == "secret")
  }

  @Test("Secrets are found in a request's path, body and stored properties")
  func found() {
    let stored = Set(SecretFinder.secrets(of: Login().with(\.tag, 1)))
    #expect(stored == ["correct horse", "battery staple"])
    let oneOff = OneOffRequest<Void>.post("x", body: .json(Token(token: "in a body")))
      .with(\.secrets, ["named"])
    #expect(Set(SecretFinder.secrets(of: oneOff)) == ["in a body", "named"])
    #expect(SecretFinder.secrets(of: OneOffRequest<Void>.get("x", query: ["a": Secret("q")])) == ["q"])
  }

  struct Redeem: Request {
    typealias Response = Void
    /// Secrets that the finder knows only by a computed member.
    let code: String
    let key: String
    let path = "redeem"
    let method = HTTPMethod.post
    var parameters: Parameters { ["code": Secret(code)] }
    var authentication: Authentication { .with(APIKeyAuthenticator(key, header: "X-Key")) }
  }

  @Test("Overrides of a member do not show the request's own secrets")
  func overridden() throws {
    let request = Redeem(code: "winter7", key: "battery9")
    let texts = [
      "\(request.with(\.parameters, ["a": 1]))", "\(request.with(\.authentication, .none))",
      "\(request.with(\.parameters, ["a": 1]).with(\.authentication, .none))",
    ]
    for text in texts { #expect(text.hasPrefix(#"Redeem(code: "<redacted>", key: "<redacted>", "#)) }
  }

  @Test("Secrets are not searched in objects, whose state may change, nor without end")
  func bounded() {
    final class Session: Sendable { let token: Secret = "in an object" }
    struct Holder: Sendable {
      var session = Session()
      var many = [Int](repeating: 0, count: 1_000_000)
    }
    #expect(SecretFinder.secrets(in: [Holder()]) == [])
  }

  @Test("Secrets are searched in parameters up to the maximum nesting")
  func depth() async throws {
    func request(_ levels: Int, _ value: Parameters.Node = .secret("deep")) -> OneOffRequest<Void> {
      let nested = (1..<levels).reduce(value) { inner, level in
        level.isMultiple(of: 2) ? .list([inner]) : .object(["a": inner])
      }
      return .get("x", query: ["a": nested])
    }
    #expect(SecretFinder.secrets(of: request(512)) == ["deep"])
    #expect(SecretFinder.secrets(of: request(513)) == [])
    let agent = RequestAgent.mocked(by: MockTransport { _ in .status(200) })
    let error = try await #require(throws: RequestError.self) { try await agent.send(request(2_000, .null)) }
    #expect(error.reason == "the parameters are nested deeper than 512 levels")
  }

  @Test("A secret in a path is redacted in the error of its dispatch, in the log, and in the printed request")
  func dispatched() async throws {
    let recorder = Recorder()
    let logger = ConsoleLogger(level: .body) { recorder.add($0) }
    let agent = RequestAgent.mocked(
      by: MockTransport { request in .text("no \(request.text)", status: 404) }, accessories: [logger])
    let error = try await #require(throws: RequestError.self) { try await agent.send(Login()) }
    #expect(
      error.description.hasPrefix("POST https://mocked.example/login/<redacted> failed: status 404 Not Found")
    )
    #expect(error.description.contains(#": "no user=ada&pin=<redacted>&old%5B%5D=1&old%5B%5D=<redacted>""#))
    #expect(recorder.events[0].contains("[1.1] > user=ada&pin=<redacted>&old%5B%5D=1&old%5B%5D=<redacted>"))
    #expect("\(error.request!)".hasPrefix("POST https://mocked.example/login/<redacted>"))
  }
}
