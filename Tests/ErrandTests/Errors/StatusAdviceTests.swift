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
    (501, "The server does not support the request, so a retry would fail too."),
    (505, "The server does not support the request, so a retry would fail too."),
    (
      507,
      "The server has no space left for the data of the request. Free space on the server, or send less data."
    ),
    (
      508,
      "The server found an infinite loop while processing the request. Only the server's operator can fix the problem."
    ),
    (
      511,
      "The network requires a sign-in. Open a web page, sign in, and send the request again."
    ),
    (520, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (521, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (522, "A proxy waited too long for the server behind it. \(retry)"),
    (523, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (524, "A proxy waited too long for the server behind it. \(retry)"),
    (
      525,
      "The TLS handshake between a proxy and the server behind it failed. Only the server's operator can fix the problem."
    ),
    (
      526,
      "The TLS handshake between a proxy and the server behind it failed. Only the server's operator can fix the problem."
    ),
    (527, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (530, "A proxy could not reach the server behind it, or got no whole answer. \(retry)"),
    (598, "A proxy waited too long for the server behind it. \(retry)"),
    (599, "A proxy waited too long for the server behind it. \(retry)"),
    (555, "The status 555 has no standard meaning. Check the response of the server."),
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
        == "The server is overloaded or failing. A retryPolicy such as .upTo(2) tries again; for POST the retry "
        + "needs an idempotencyKey or retriesUnsafeMethods.")
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
      "The server does not use plain HTTP on this port, but probably TLS. Change the scheme to https, or use the server's http port."
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
        && found.reason
          == "the base URL \(base.debugDescription) \(place) with white space: remove the white space"
    )
  }

  @Test("A path made into a URL by URL(string:) suggests URL(fileURLWithPath:), and a web address does not")
  func filePath() async throws {
    let advice =
      "Create the URL with URL(fileURLWithPath:). URL(string:) treats a path as a part of a web address."
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
      (path, advice), (web, "Check the path above, the write permission, and the free disk space."),
    ] {
      let download = try await #require(throws: RequestError.self) {
        try await agent.download(.get("a"), to: url)
      }
      #expect(download.hint == wanted)
      let cache = try #require(throws: RequestError.self) { try DiskCache(directory: url) }
      #expect(cache.hint == wanted)
    }
    let cookies = try #require(throws: FileError.self) { try CookieFile(path) }
    #expect(cookies.reason == "is not a file URL; create a file URL with URL(fileURLWithPath:)")
  }
}
