import Errand
import ErrandMocks
import Testing

@Suite("What a stub matches")
struct StubMatchingTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let stub: String
    let url: String
    let matches: Bool
    var testDescription: String { "\(stub) \(matches ? "matches" : "does not match") \(url)" }
  }

  static let rows = [
    Row(stub: "/users/7", url: "https://a.example/users/7", matches: true),
    Row(stub: "users/7", url: "https://a.example/users/7", matches: true),
    Row(stub: "/users/7", url: "https://a.example/users/7/", matches: false),
    Row(stub: "/users/7", url: "https://a.example/users/77", matches: false),
    Row(stub: "https://a.example/users/7", url: "https://b.example/users/7", matches: false),
    Row(stub: "https://a.example/users/7", url: "http://a.example/users/7", matches: false),
    Row(stub: "https://a.example/users/7", url: "https://a.example:8443/users/7", matches: false),
    Row(stub: "HTTPS://A.example:443/a", url: "https://a.example/a", matches: true),
    Row(stub: "http://a.example", url: "http://a.example:80/", matches: true),
    Row(stub: "https://bücher.example/a", url: "https://bücher.example/a", matches: true),
    Row(stub: "https://BÜCHER.example:443/a", url: "https://xn--bcher-kva.example/a", matches: true),
    Row(stub: "https://xn--bcher-kva.example/a", url: "https://bücher.example/a", matches: true),
    Row(stub: "https://bücher.example/a", url: "https://bucher.example/a", matches: false),
    Row(stub: "http://h.example:/a", url: "http://h.example:/a", matches: true),
    Row(stub: "http://h.example:/a", url: "http://h.example/a", matches: true),
    Row(stub: "http://h.example/a", url: "http://h.example:/a", matches: true),
    Row(stub: "http://[::1]:/a", url: "http://[::1]:80/a", matches: true),
    Row(stub: "/a", url: "https://h/a?x=1", matches: true),
    Row(stub: "/a?x=1&y=2", url: "https://h/a?y=2&x=1", matches: true),
    Row(stub: "/a?x=1", url: "https://h/a?x=1&y=2", matches: false),
    Row(stub: "/a?x=1", url: "https://h/a", matches: false),
    Row(stub: "/a?q=x y", url: "https://h/a?q=x%20y", matches: true),
    Row(stub: "/é", url: "https://h/%C3%A9", matches: true),
    Row(stub: "/a/b", url: "https://h/a%2Fb", matches: false),
    Row(stub: "/users/*", url: "https://h/users/7/posts", matches: true),
    Row(stub: "/users/*", url: "https://h/users/", matches: true),
    Row(stub: "/users/*", url: "https://h/users", matches: false),
    Row(stub: "/users/1*", url: "https://h/users/17", matches: true),
    Row(stub: "/users/1*", url: "https://h/users/71", matches: false),
    Row(stub: "*", url: "https://h/anything", matches: true),
    Row(stub: "/users/*/posts", url: "https://h/users/7/posts", matches: true),
    Row(stub: "/users/*/posts", url: "https://h/users/a%2Fb/posts", matches: true),
    Row(stub: "/users/*/posts", url: "https://h/users//posts", matches: false),
    Row(stub: "/users/*/posts", url: "https://h/users/7/8/posts", matches: false),
    Row(stub: "/users/*/posts", url: "https://h/users/7/posts/1", matches: false),
    Row(stub: "/*/7", url: "https://h/users/7", matches: true),
    Row(stub: "/users/*/po*", url: "https://h/users/7/posts/1", matches: true),
    Row(stub: "/users/*/po*", url: "https://h/users/7/images", matches: false),
    Row(stub: "/users/**", url: "https://h/users", matches: true),
    Row(stub: "/users/**", url: "https://h/users/7/posts", matches: true),
    Row(stub: "/users/**", url: "https://h/user", matches: false),
    Row(stub: "**/posts", url: "https://h/posts", matches: true),
    Row(stub: "**/posts", url: "https://h/users/7/posts", matches: true),
    Row(stub: "**/posts", url: "https://h/users/7/posts/1", matches: false),
    Row(stub: "/a/**/z", url: "https://h/a/z", matches: true),
    Row(stub: "/a/**/z", url: "https://h/a/b/z/c/z", matches: true),
    Row(stub: "/a/%2A", url: "https://h/a/b", matches: false),
    Row(stub: "/a/%2A", url: "https://h/a/*", matches: true),
    Row(stub: "/a/x*y/b", url: "https://h/a/x*y/b", matches: true),
    Row(stub: "/a/x*y/b", url: "https://h/a/xzy/b", matches: false),
    Row(stub: "/to?u=http://x/y", url: "https://h/to?u=http://x/y", matches: true),
  ]

  @Test("URLs, paths, queries and prefixes", arguments: rows)
  func matching(row: Row) async {
    let transport = MockTransport([Stub(.get, row.stub, answers: .status(200))])
    let isAnswered = (try? await transport.exchange(.get, row.url)) != nil
    #expect(isAnswered == row.matches)
  }

  @Test("The first stub that matches answers; nil stands for every method, and methods are compared exactly")
  func methods() async throws {
    let transport = MockTransport([
      Stub(.get, "/a", answers: .text("get")), Stub(nil, "/*", answers: .text("any")),
      Stub(.get, "/*", answers: .text("never")),
    ])
    var bodies: [String] = []
    for method: HTTPMethod in [.get, .post, "get"] {
      bodies.append(try await transport.exchange(method, "https://h/a").body)
    }
    #expect(bodies == ["get", "any", "any"])
  }
}
