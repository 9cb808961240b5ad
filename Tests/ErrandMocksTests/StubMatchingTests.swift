import Errand
import ErrandMocks
import Testing

@Suite("Matching of a stub")
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
    Row(stub: "/a/*.png", url: "https://h/a/b.png", matches: true),
    Row(stub: "/a/*.png", url: "https://h/a/.png", matches: false),
    Row(stub: "/a/*.png", url: "https://h/a/b.jpg", matches: false),
    Row(stub: "**/*.png", url: "https://h/a/b/c.png?x=1", matches: true),
    Row(stub: "**/*.png", url: "https://h/a.png/b", matches: false),
    Row(stub: "/users/{id}", url: "https://h/users/a%2Fb", matches: true),
    Row(stub: "/users/{id}", url: "https://h/users/", matches: false),
    Row(stub: "/users/{id}", url: "https://h/users/7/8", matches: false),
    Row(stub: "/users/%7Bid}", url: "https://h/users/7", matches: false),
    Row(stub: "/users/%7Bid}", url: "https://h/users/%7Bid%7D", matches: true),
    Row(stub: "/users/{id:int}", url: "https://h/users/-7", matches: true),
    Row(stub: "/users/{id:int}", url: "https://h/users/7a", matches: false),
    Row(stub: "/users/{id:int}", url: "https://h/users/99999999999999999999", matches: false),
    Row(stub: "/a/{x:number}", url: "https://h/a/1.5", matches: true),
    Row(stub: "/a/{x:number}", url: "https://h/a/nan", matches: false),
    Row(stub: "/a/{x:number}", url: "https://h/a/0x10", matches: false),
    Row(stub: "/a/{x:uuid}", url: "https://h/a/0F8FAD5B-d9cb-469f-a165-70867728950e", matches: true),
    Row(stub: "/a/{x:uuid}", url: "https://h/a/0F8FAD5B-d9cb-469f-a165-70867728950", matches: false),
    Row(stub: "/a/{x:date}", url: "https://h/a/2024-02-29", matches: true),
    Row(stub: "/a/{x:date}", url: "https://h/a/2024-13-01", matches: false),
    Row(stub: "/a/{x:date}", url: "https://h/a/2026-02-29", matches: false),
    Row(stub: "/a/{x:date}", url: "https://h/a/2000-02-29", matches: true),
    Row(stub: "/a/{x:date}", url: "https://h/a/1900-02-29", matches: false),
    Row(stub: "/a/{x:date}", url: "https://h/a/2026-04-31", matches: false),
    Row(stub: "/a/{x:word}", url: "https://h/a/ab_c-1", matches: true),
    Row(stub: "/a/{x:word}", url: "https://h/a/a.b", matches: false),
    Row(stub: "/a/v{x:int}.json", url: "https://h/a/v12.json", matches: true),
    Row(stub: "/a/v{x:int}.json", url: "https://h/a/v.json", matches: false),
    Row(stub: "/a/{x:itn}", url: "https://h/a/7", matches: false),
    Row(stub: "/{x}/{x}", url: "https://h/a/a", matches: false),
    Row(stub: "/**/a/**/b/{x}", url: "https://h/a/b/a/b/c", matches: true),
    Row(stub: "/to?u=http://x/y", url: "https://h/to?u=http://x/y", matches: true),
  ]

  @Test("URLs, paths, queries and prefixes", arguments: rows)
  func matching(row: Row) async {
    let transport = MockTransport([Stub(.get, row.stub, answers: .status(200))])
    let isAnswered = (try? await transport.exchange(.get, row.url)) != nil
    #expect(isAnswered == row.matches)
  }

  @Test("The first matching stub answers, nil matches every method, and methods are compared exactly")
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

  @Test(
    "Variables have the decoded values of the request",
    arguments: [
      ("/a/{x}/b/{y:int}", "/a/p%20q/b/7", ["x": "p q", "y": "7"]),
      ("**/{x}.json", "/a/b/c.json", ["x": "c"]),
      ("/a/v{x}", "/a/v1", ["x": "1"]), ("/**/{x}/z", "/a/b/c/z", ["x": "c"]),
      ("/{x}/*", "/a/b/c", ["x": "a"]),
    ])
  func variables(_ stub: String, _ path: String, _ values: [String: String]) async throws {
    let stub = Stub(.get, stub)
    try await MockTransport([stub]).exchange(.get, "https://h\(path)")
    #expect(stub.calls.map(\.variables) == [values])
  }

  @Test(
    "A path that can never match is refused with the reason",
    arguments: [
      (
        "/a/{x:itn}",
        "the variable x has the unknown type itn; the known types are int, number, uuid, date, word"
      ),
      ("/{x}/{x}", "two variables are named x"), ("/{}", "a variable has no name"),
      ("/{x}{y}", "the variable x is not the only variable of its path segment"),
    ])
  func malformed(_ path: String, _ problem: String) async throws {
    let stub = Stub(.get, path)
    let message = try await MockTransport([stub]).refusal(of: .get, "https://h/a")
    #expect(
      message.hasSuffix(
        "1. \(stub): path cannot be compared, because the stub's path is malformed: \(problem)"))
  }

  @Test("Many wildcards and a long path are compared in time", .timeLimit(.minutes(5)))
  func long() async throws {
    let stub = Stub(.get, String(repeating: "/**/a", count: 40) + "/b")
    let path = String(repeating: "/a", count: 2_000)
    let transport = MockTransport { _ in .text("other") }
    transport.add(stub)
    #expect(try await transport.exchange(.get, "https://h\(path)").body == "other")
    #expect(try await transport.exchange(.get, "https://h\(path)/b").body.isEmpty)
  }

  @Test("A brace in an endpoint's path is no variable")
  func typed() async throws {
    struct Get: Request {
      typealias Response = String
      let path = "a/{b}"
    }
    let transport = MockTransport([Stub(answering: Get(), with: "typed")])
    #expect(try await transport.exchange(.get, "https://h/a/%7Bb%7D").body == "typed")
    _ = try await transport.refusal(of: .get, "https://h/a/c")
  }
}
