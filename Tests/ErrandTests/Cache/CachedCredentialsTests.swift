import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Query items of authenticators, and caching", .timeLimit(.minutes(5)))
struct CachedCredentialsTests {
  /// Reveals no identity.
  private struct Signing: Authenticator {
    let name: String
    let value: String

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      let text = request.url.absoluteString
      guard !text.contains("\(name)=\(value)") else { return }
      request.url = try #require(URL(string: text + (text.contains("?") ? "&" : "?") + "\(name)=\(value)"))
    }
  }

  private static func agent(
    _ cache: ResponseCache, _ transport: any Transport, _ authenticator: any Authenticator
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.cache = cache
    configuration.authenticator = authenticator
    configuration.cachePolicy = .standard.ignoring(queryItems: "api_key", "who", "time")
    return RequestAgent(baseURL: "https://api.test", transport: transport, configuration: configuration)
  }

  private static func transport() -> FunctionTransport {
    FunctionTransport { _, number in
      HTTPResponse(headers: ["Cache-Control": "max-age=1000"], body: Data("\(number)".utf8))
    }
  }

  static let authenticators: [@Sendable (String) -> any Authenticator] = [
    { APIKeyAuthenticator($0, query: "api_key") },
    { APIKeyAuthenticator($0, query: "who") },
    { APIKeyAuthenticator($0, header: "X-Who") },
    { Signing(name: "api_key", value: $0) },
    { Signing(name: "who", value: $0) },
  ]

  @Test(
    "Responses to another user's key are not served, even if the policy ignores the item, and the owner gets a hit",
    arguments: authenticators.indices)
  func apart(_ index: Int) async throws {
    let (cache, transport) = (MemoryCache(), Self.transport())
    let make = Self.authenticators[index]
    var bodies: [String] = []
    for (key, time) in [("ann", "1"), ("bob", "1"), ("ann", "2"), ("bob", "2")] {
      let agent = Self.agent(cache, transport, make(key))
      bodies.append(try await agent.send(.get("me", query: ["time": time], as: String.self)))
    }
    #expect(bodies == ["1", "2", "1", "2"])
    #expect(transport.requests.count == 2)
  }

  @Test(
    "Responses to a key are not shared after a redirect to a URL that already has the item",
    arguments: [0, 1, 3])
  func redirected(_ index: Int) async throws {
    let cache = MemoryCache()
    let transport = FunctionTransport { request, number in
      let query = request.url.query ?? ""
      return request.url.path == "/old"
        ? HTTPResponse(status: 302, headers: ["Location": "/me?\(query)"])
        : HTTPResponse(headers: ["Cache-Control": "max-age=1000"], body: Data(query.utf8))
    }
    for key in ["ann", "bob"] {
      let agent = Self.agent(cache, transport, Self.authenticators[index](key))
      #expect(try await agent.send(.get("old", as: String.self)).hasSuffix("=\(key)"))
    }
  }

  @Test("Query items of hooks separate no entries if the policy ignores the items")
  func others() async throws {
    let (cache, transport) = (MemoryCache(), Self.transport())
    for key in ["ann", "bob"] {
      var configuration = AgentConfiguration()
      configuration.cache = cache
      configuration.cachePolicy = .standard.ignoring(queryItems: "api_key")
      let agent = RequestAgent(
        baseURL: "https://api.test", transport: transport, configuration: configuration)
      #expect(try await agent.send(.get("me", query: ["api_key": key], as: String.self)) == "1")
    }
  }

  @Test("Repeated items count, and the request's items are not the authenticator's")
  func items() throws {
    func request(_ text: String) throws -> HTTPRequest { HTTPRequest(url: try #require(URL(string: text))) }
    let unsigned = try request("https://a.test/b?c=1&d=2#e")
    let identified = IdentifiedRequest(unsigned, by: Signing.self, identity: nil)
    func added(_ text: String) throws -> [Substring] { identified.addedItems(to: try request(text)) }
    #expect(try added("https://a.test/b?c=1&d=2#e").isEmpty)
    #expect(try added("https://a.test/b?d=2&c=1&c=1&f").map(String.init) == ["c=1", "f"])
    #expect(try added("https://a.test/b?c=1&d=3#d=4").map(String.init) == ["d=3"])
  }

  private struct Renewing: Authenticator {
    let questions = Locked(0)

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {}

    func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
      questions.withLock { $0 += 1 }
      return false
    }
  }

  @Test("With `cacheOnly`, neither a stored refusal nor a miss renews credentials")
  func cacheOnly() async throws {
    let (cache, renewing) = (MemoryCache(), Renewing())
    let transport = FunctionTransport { _, _ in
      HTTPResponse(status: 401, headers: ["Cache-Control": "max-age=1000"])
    }
    let request = OneOffRequest<Void>.get("me")
    let storing = Self.agent(cache, transport, Renewing())
    await #expect(throws: RequestError.self) { try await storing.send(request) }
    let agent = Self.agent(cache, transport, renewing)
    let stored = try await #require(throws: RequestError.self) {
      try await agent.send(request.with(\.cachePolicy, .cacheOnly))
    }
    let missing = try await #require(throws: RequestError.self) {
      try await agent.send(OneOffRequest<Void>.get("you").with(\.cachePolicy, .cacheOnly))
    }
    #expect([stored.kind, missing.kind] == [.status, .notCached])
    #expect(renewing.questions.withLock { $0 } == 0 && transport.requests.count == 1)
  }
}
