import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// Secrets under harmless names, in bodies whose encoded form no longer shows the type of the value.
@Suite("Places in which secrets are searched")
struct SecretPlacesTests {
  private static let url = URL(string: "https://api.example.com/a")!

  struct Custom: Request {
    typealias Response = Void
    var customRequest: HTTPRequest?
    let path = ""
  }

  struct Wrapping: Request {
    typealias Response = Void
    let inner: OneOffRequest<Void>
    let path = "a"
  }

  /// Sets a body with a secret, without storing a ``Secret``.
  struct Filling: RequestHooks {
    let pin: String
    var failure: ProbeError?

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      request.method = .post
      request.body = .json(["pin": Secret(pin)])
      if let failure { throw failure }
    }
  }

  /// More values than the search visits.
  struct Crowded: RequestHooks {
    let numbers = [Int](repeating: 0, count: 5_000)
  }

  private func agent(
    hooks: [any RequestHooks] = [], _ configuration: AgentConfiguration = AgentConfiguration()
  ) -> RequestAgent {
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 400, body: Data("no P1n-5ecret".utf8)) }
    return RequestAgent(
      baseURL: "https://api.example.com", transport: transport, hooks: hooks, configuration: configuration)
  }

  private func failure(_ request: some Request, by agent: RequestAgent) async throws -> String {
    let error = try await #require(throws: RequestError.self) { _ = try await agent.send(request) }
    return "\(error)\n\(error.debugDescription)\n\(error.response.map { $0.debugDescription } ?? "")"
  }

  struct WrappingOverridden: Request {
    typealias Response = Void
    let inner: OverriddenRequest<OneOffRequest<Void>>
    let path = "a"
  }

  @Test("The parameters of a stored request with overrides are searched")
  func overridden() {
    let inner = OneOffRequest<Void>.post("a", parameters: ["pin": Secret("P1n-5ecret")])
      .with(\.timeout, .seconds(5))
    #expect(SecretFinder.secrets(of: WrappingOverridden(inner: inner)) == ["P1n-5ecret"])
  }

  @Test("The JSON body of a custom request, and of a stored request, is searched")
  func custom() async throws {
    let body = RequestBody.json(["pin": Secret("P1n-5ecret")])
    let http = HTTPRequest(url: Self.url, method: .post, body: body)
    let custom = Custom(customRequest: http)
    #expect(SecretFinder.secrets(of: custom) == ["P1n-5ecret"])
    #expect(!(try await failure(custom, by: agent()).contains("5ecret")))
    let wrapping = Wrapping(inner: .post("x", parameters: ["pin": Secret("P1n-5ecret")]))
    #expect(SecretFinder.secrets(of: wrapping) == ["P1n-5ecret"])
    let overridden = OneOffRequest<Void>.get("a").with(\.customRequest, http)
    #expect(SecretFinder.secrets(of: overridden) == ["P1n-5ecret"])
  }

  @Test("The JSON body that a hook sets is searched, also if the hook then fails")
  func hooks() async throws {
    let text = try await failure(.get("a"), by: agent(hooks: [Filling(pin: "P1n-5ecret")]))
    #expect(text.contains(#""no <redacted>""#) && !text.contains("5ecret"))
    let failing = Filling(pin: "P1n-5ecret", failure: ProbeError(stage: "P1n-5ecret"))
    let thrown = try await failure(.get("a"), by: agent(hooks: [failing]))
    #expect(thrown.contains("<redacted>") && !thrown.contains("5ecret"))
  }

  @Test("The agent's parameters are searched, however many values its hooks store")
  func parameters() async throws {
    var configuration = AgentConfiguration()
    configuration.parameters = ["house": Secret("P1n-5ecret")]
    let text = try await failure(.get("a"), by: agent(hooks: [Crowded()], configuration))
    #expect(text.contains(#""no <redacted>""#) && !text.contains("5ecret"))
  }

  @Test("Compressed bodies and forms of parts are searched for values under secret names")
  func provided() async throws {
    let json = RequestBody.text(#"{"password":"P1n-5ecret"}"#, contentType: "application/json")
    let form = RequestBody.multipart(["password": "P1n-5ecret", "name": "harmless"])
    for body in [json.gzipped(), form, form.gzipped()] {
      let headers = HTTPHeaders(body.contentType.map { [.init(name: "Content-Type", value: $0)] } ?? [])
      let http = HTTPRequest(url: Self.url, method: .post, headers: headers, body: body)
      #expect(CredentialFinderTests.learned(http) == ["P1n-5ecret"])
      let text = try await failure(OneOffRequest<Void>.post("a", body: body), by: agent())
      #expect(text.contains(#""no <redacted>""#) && !text.contains("5ecret"))
    }
  }

  @Test("Lines of JSON, JSON after white space, and text in ISO-8859-1 are searched")
  func forms() {
    func learned(_ body: Data, _ type: String) -> [String] {
      CredentialFinderTests.learned(
        HTTPRequest(url: Self.url, headers: ["Content-Type": type], body: .data(body)))
    }
    let lines = Data("{\"token\":\"first-1\"}\n{\"token\":\"second-2\"}\n".utf8)
    #expect(learned(lines, "application/x-ndjson") == ["first-1", "second-2"])
    #expect(learned(Data(" \n{\"token\":\"first-1\"}".utf8), "text/plain") == ["first-1"])
    let form = "application/x-www-form-urlencoded; charset=iso-8859-1"
    let latin1 = Data("password=p".utf8) + [0xE4] + Data("ssword".utf8)
    #expect(learned(latin1, form) == ["p\u{e4}ssword"])
    #expect(learned(Data("password=p%E4ssword".utf8), form) == ["p\u{e4}ssword"])
    let json = Data(#"{"password":"p"#.utf8) + [0xE4] + Data(#"ssword"}"#.utf8)
    #expect(learned(json, "application/json; charset=iso-8859-1") == ["p\u{e4}ssword"])
    #expect(learned(json, "application/json") == ["p\u{e4}ssword"])
  }
}
