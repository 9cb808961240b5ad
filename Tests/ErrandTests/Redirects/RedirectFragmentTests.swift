import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Fragments over redirects")
struct RedirectFragmentTests {
  private struct Custom: Request {
    typealias Response = HTTPResponse
    var customRequest: HTTPRequest?
  }

  private struct Fetch: Request {
    typealias Response = HTTPResponse
    let path: String
    init(_ path: String) { self.path = path }
  }

  private func transport(_ locations: String...) -> FunctionTransport {
    FunctionTransport { [locations] _, number in
      number <= locations.count
        ? HTTPResponse(status: 302, headers: ["Location": locations[number - 1]]) : HTTPResponse()
    }
  }

  private func way(_ path: String, _ locations: String...) async throws -> (url: String?, to: [String]) {
    let transport = FunctionTransport { _, number in
      number <= locations.count
        ? HTTPResponse(status: 302, headers: ["Location": locations[number - 1]]) : HTTPResponse()
    }
    let agent = RequestAgent(baseURL: "https://a", transport: transport)
    let received = try await agent.response(for: Fetch(path))
    // Fragments are never sent.
    #expect(transport.requests.allSatisfy { !$0.url.absoluteString.contains("#") })
    let redirects = received.report.attempts.last?.redirects ?? []
    #expect(redirects.allSatisfy { !$0.from.absoluteString.contains("#") })
    return (received.response.url?.absoluteString, redirects.map(\.to.absoluteString))
  }

  @Test(
    "A Location without a fragment inherits the previous URL's, and a fragment replaces the inherited, even if empty"
  )
  func inherited() async throws {
    var found = try await way("0#top", "/1", "/2")
    #expect(found.url == "https://a/2#top" && found.to == ["https://a/1#top", "https://a/2#top"])
    found = try await way("0#top", "/1#new", "/2")
    #expect(found.url == "https://a/2#new" && found.to == ["https://a/1#new", "https://a/2#new"])
    found = try await way("0#top", "/1#", "/2")
    #expect(found.url == "https://a/2" && found.to == ["https://a/1", "https://a/2"])
    found = try await way("0", "/1#a b%20ü", "https://b.example/2")
    #expect(found.url == "https://b.example/2#a%20b%20%C3%BC")
    found = try await way("0#x?y/z")
    #expect(found.url == "https://a/0#x?y/z" && found.to.isEmpty)
    found = try await way("0", "/1")
    #expect(found.url == "https://a/1")
  }

  @Test("A custom request, and a hook's URL, keep their fragments")
  func others() async throws {
    let custom = HTTPRequest(url: try #require(URL(string: "https://a/0#top")))
    let transport = transport("/1")
    let agent = RequestAgent(baseURL: "https://a", transport: transport)
    let answer = try await agent.send(Custom(customRequest: custom))
    #expect(answer.url?.absoluteString == "https://a/1#top")
    #expect(transport.requests.map(\.url.absoluteString) == ["https://a/0", "https://a/1"])

    struct Choosing: RequestHooks {
      let url: String
      func redirectDecision(
        to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
      ) async throws -> RedirectPolicy.Decision {
        request.url = URL(string: url) ?? request.url
        return .follow
      }
    }
    for (url, expected) in [
      ("https://a/h", "https://a/h#top"), ("https://a/h#own", "https://a/h#own"),
      ("https://a/1", "https://a/1#location"),
    ] {
      let agent = RequestAgent(
        baseURL: "https://a", transport: self.transport("/1#location"), hooks: [Choosing(url: url)])
      let answer = try await agent.send(Fetch("0#top"))
      #expect(answer.url?.absoluteString == expected)
    }
  }

  @Test("The next page is resolved from the sent URL, which a link names as its anchor")
  func pages() async throws {
    let transport = FunctionTransport { _, _ in
      HTTPResponse(headers: ["Link": #"</1>; rel=next; anchor="https://a/0""#])
    }
    let received = try await RequestAgent(baseURL: "https://a", transport: transport).response(
      for: Fetch("0#top"))
    let url = try #require(received.responseURL)
    #expect(received.response.url?.absoluteString == "https://a/0#top" && url.absoluteString == "https://a/0")
    #expect(LinkHeader(received.response.headers).target(of: "next", from: url) == "/1")
  }

  @Test("A retry starts with the request's fragment, and a token in a fragment is not printed")
  func retried() async throws {
    let transport = FunctionTransport { _, number in
      switch number {
      case 1, 3: HTTPResponse(status: 302, headers: ["Location": number == 1 ? "/1#other" : "/2"])
      case 2: HTTPResponse(status: 503)
      default: HTTPResponse()
      }
    }
    var configuration = AgentConfiguration()
    configuration.retryPolicy = .upTo(1)
    configuration.retryPolicy.backoff = .constant()
    let agent = RequestAgent(baseURL: "https://a", transport: transport, configuration: configuration)
    let path = "0#access_token=s3cret"
    let received = try await agent.response(for: Fetch(path))
    #expect(received.response.url?.absoluteString == "https://a/2#access_token=s3cret")
    #expect(!"\(received.report) \(received.response)".contains("s3cret"))
  }

  /// RFC 3986 section 5.4, relative to `http://a/b/c/d;p?q`, including fragments.
  static let references: [(String, String)] = [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
    (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    // The backward-compatible result of browsers. The strict result is `http:g`, which has no host.
    ("http:g", "http://a/b/c/g"),
  ]

  @Test("Each reference of RFC 3986 section 5.4 works as a Location", arguments: references)
  func located(_ row: (String, String)) async throws {
    var configuration = AgentConfiguration()
    configuration.destinations.plainHTTP = .allowed
    let agent = RequestAgent(
      baseURL: "http://a/b/c/d;p?q", transport: transport(row.0), configuration: configuration)
    let answer = try await agent.send(Fetch(""))
    #expect(answer.url?.absoluteString == row.1)
  }

  @Test("The reference g:h has another scheme, and is refused by name")
  func scheme() async throws {
    let agent = RequestAgent(baseURL: "http://a/b/c/d;p?q", transport: transport("g:h"))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("")) }
    #expect(error.reason == #"the redirect to "g:h" is refused: only http and https are followed"#)
    #expect(Self.references.count + 1 == 42)
  }
}
