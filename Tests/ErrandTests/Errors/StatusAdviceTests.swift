import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Advice for gateway statuses and mistyped URLs")
struct StatusAdviceTests {
  private func error(_ request: some Request, _ answer: MockAnswer = .status(200), base: String? = nil)
    async throws -> RequestError
  {
    let agent = RequestAgent(baseURL: base ?? "http://shop.example", transport: MockTransport { _ in answer })
    return try await #require(throws: RequestError.self) { _ = try await agent.send(request) }
  }

  private static let retry = "A retryPolicy such as .upTo(2) tries again."

  static let statuses: [(Int, String)] = [
    (500, "The server is overloaded or failing. \(retry)"),
    (529, "The server is overloaded or failing. \(retry)"),
    (501, "The server failed for good; it would not do better the next time."),
    (505, "The server failed for good; it would not do better the next time."),
    (507, "The server has no room left to store what was sent: free some there, or send less."),
    (508, "The resource leads back to itself on the server: only the server's operator can mend that."),
    (
      511,
      "The network asks for a sign-in before it lets requests through: open a web page, sign in, and send again."
    ),
    (520, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (521, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (522, "A proxy waited too long for the server behind it. \(retry)"),
    (523, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (524, "A proxy waited too long for the server behind it. \(retry)"),
    (
      525,
      "A proxy could not agree on TLS with the server behind it: only the server's operator can mend that."
    ),
    (
      526,
      "A proxy could not agree on TLS with the server behind it: only the server's operator can mend that."
    ),
    (527, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (530, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (598, "A proxy waited too long for the server behind it. \(retry)"),
    (599, "A proxy waited too long for the server behind it. \(retry)"),
    (555, "The status 555 has no meaning that all servers share: look at the answer."),
  ]

  @Test("Each 5xx status has its advice", arguments: statuses)
  func status(_ row: (code: Int, advice: String)) async throws {
    let found = try await error(.get("a"), .status(HTTPResponse.Status(row.code)))
    #expect(found.description.hasSuffix("\nTry: \(row.advice)"))
  }

  @Test("The advice and the policy have the same transient statuses, and a POST needs more")
  func passing() async throws {
    let advised = Self.statuses.filter { $0.1.contains("retryPolicy") }.map(\.0)
    #expect(Set(advised + [408, 425, 429, 502, 503, 504]) == RetryableStatuses.all)
    let post = try await error(.post("a"), .status(529))
    #expect(
      post.hint
        == "The server is overloaded or failing. A retryPolicy such as .upTo(2) tries again; for POST it needs an "
        + "idempotencyKey, or retriesUnsafeMethods.")
  }

  @Test("A status is added to a policy without repeating the others")
  func added() async throws {
    let policy = RetryPolicy.upTo(2, backoff: .constant(.zero)).alsoRetrying(statuses: 423, 460)
    #expect(policy.statuses == RetryableStatuses.all.union([423, 460]) && policy.limit == 2)
    let transport = MockTransport([
      Stub(.get, "/a", answers: .status(423), .status(529), .text("there"))
    ])
    let agent = RequestAgent(baseURL: "http://shop.example", transport: transport)
    let value = try await agent.send(.get("a", as: String.self).with(\.retryPolicy, policy))
    #expect(value == "there" && transport.requests.count == 3)
  }

  static let bodies: [(server: String, text: String)] = [
    ("nginx", "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head>"),
    ("Go", "Client sent an HTTP request to an HTTPS server.\n"),
    ("Apache", "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />"),
  ]

  @Test("A 400 of a server that expects https says so", arguments: bodies)
  func plainRequest(_ row: (server: String, text: String)) async throws {
    let answer = MockAnswer.text(row.text, status: 400)
    let advice =
      "Something other than http speaks on that port, most often TLS: write https, or the port of http."
    #expect(try await error(.get("a"), answer).hint == advice)
    #expect(try await error(.get("a"), answer, base: "https://shop.example").hint == nil)
    #expect(try await error(.get("a"), .text("no such field", status: 400)).hint == nil)
  }

  @Test(
    "A base with surrounding white space says so",
    arguments: [
      (" https://shop.example", "begins"), ("\thttps://shop.example", "begins"),
      ("\nhttps://shop.example ", "begins"), ("https://shop.example ", "ends"),
      ("https://shop.example/v1\n", "ends"), ("%20https://shop.example", "begins"),
    ])
  func paddedBase(_ base: String, _ place: String) async throws {
    let found = try await error(.get("a"), base: base)
    #expect(
      found.kind == .invalidURL
        && found.reason == "the base URL \(base.debugDescription) \(place) with white space; remove it")
  }

  @Test("A path made into a URL by URL(string:) suggests URL(fileURLWithPath:), and a web address does not")
  func filePath() async throws {
    let advice =
      "A path becomes the URL of a file by URL(fileURLWithPath:); URL(string:) takes it for a part of a web address."
    let (path, web) = (
      try #require(URL(string: "/tmp/a.txt")), try #require(URL(string: "https://shop.example/a"))
    )
    #expect(try await error(.post("a", body: .file(path))).hint == advice)
    #expect(try await error(.post("a", parameters: ["f": .file(path)])).hint == advice)
    #expect(
      try await error(.post("a", body: .file(web))).hint
        == "Check the parameters and the body of the request.")
    let agent = RequestAgent(baseURL: "http://shop.example", transport: MockTransport { _ in .text("x") })
    for (url, wanted) in [
      (path, advice), (web, "Check the path above, who may write there, and the space that is left."),
    ] {
      let download = try await #require(throws: RequestError.self) {
        try await agent.download(.get("a"), to: url)
      }
      #expect(download.hint == wanted)
      let cache = try #require(throws: RequestError.self) { try DiskCache(directory: url) }
      #expect(cache.hint == wanted)
    }
    let cookies = try #require(throws: FileError.self) { try CookieFile(path) }
    #expect(cookies.reason == "is no URL of a file; make one by URL(fileURLWithPath:)")
  }
}
