import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Refused pages", .timeLimit(.minutes(5)))
struct PageRefusalTests {
  struct Get: PaginatedRequest {
    typealias Response = String
    var path = "items"
    var pagination: Pagination<String> = .link
    var headers: HTTPHeaders { ["Authorization": "Bearer secret"] }
    var customRequest: HTTPRequest?
  }

  func walk(
    _ transport: any Transport, _ request: Get, base: String = "https://a.example/v1"
  ) async throws -> (pages: [String], error: RequestError) {
    var pages: [String] = []
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock())
    let agent = RequestAgent(baseURL: base, transport: transport, configuration: configuration)
    let error = try await #require(throws: RequestError.self) {
      for try await page in agent.pages(of: request) { pages.append(page) }
    }
    return (pages, error)
  }

  static func linking(_ links: [String: String]) -> MockTransport {
    MockTransport { request in
      let answer = MockAnswer.text(request.target)
      return links[request.target].map { answer.header("Link", "<\($0)>; rel=next") } ?? answer
    }
  }

  @Test("A cycle is an error that names the URL, and no page is fetched twice")
  func circle() async throws {
    let transport = Self.linking([
      "/v1/items": "?page=2", "/v1/items?page=2": "?page=3", "/v1/items?page=3": "?page=2",
    ])
    let (pages, error) = try await walk(transport, Get())
    #expect(pages == ["/v1/items", "/v1/items?page=2", "/v1/items?page=3"])
    #expect(transport.requests.count == 3)
    #expect(
      error.description == """
        GET https://a.example/v1/items?page=3 failed: the pages form a loop: https://a.example/v1/items?page=2 was already fetched.
        Stage build, attempt 1, after 0.000 s.
        Response: 200 OK, text/plain; charset=utf-8, 16 bytes: "/v1/items?page=3"
        Try: Check the link to the next page in the response, and the pagination of the request.
        """)
    #expect(error.kind == .pagination)
  }

  @Test(
    "A page that links to itself, or to the first page, is a cycle",
    arguments: ["", "items", "/v1/items", "./items#x"])
  func shortCircle(_ link: String) async throws {
    let (pages, error) = try await walk(Self.linking(["/v1/items": link]), Get())
    #expect(
      pages.count == 1 && error.reason.hasPrefix("the pages form a loop: https://a.example/v1/items was"))
  }

  @Test("A repeated cursor is a cycle")
  func cursorCircle() async throws {
    let request = Get(pagination: .cursor("after") { _ in "same" })
    let (pages, error) = try await walk(Self.linking([:]), request)
    #expect(pages == ["/v1/items", "/v1/items?after=same"])
    #expect(error.reason == "the pages form a loop: the page with the same after was already fetched")
  }

  @Test(
    "A link to another origin is refused, and no credentials are sent there",
    arguments: [
      "https://b.example/v1/items", "http://a.example/v1/items", "https://a.example:8443/x", "//b.example/x",
      "https://a.example.b.example/", "https://a.example@b.example/", "ftp://a.example/x", "data:,x",
      "javascript:x",
    ])
  func otherOrigin(_ link: String) async throws {
    let transport = Self.linking(["/v1/items": link])
    let (pages, error) = try await walk(transport, Get())
    #expect(pages == ["/v1/items"] && transport.requests.count == 1)
    #expect(error.kind == .pagination && error.reason.hasSuffix(", has another origin than the first page"))
    #expect(error.response?.headers["Link"] == "<\(link)>; rel=next")
  }

  @Test(
    "An invalid URL is refused",
    arguments: ["http://", "https://a.example:99999/", "http:/x", "https://a b/"])
  func unreadable(_ link: String) async throws {
    let transport = Self.linking(["/v1/items": link])
    let (_, error) = try await walk(transport, Get())
    #expect(error.kind == .pagination && error.reason.hasPrefix("the URL of the next page, "))
    #expect(transport.requests.count == 1)
  }

  @Test("An equivalent spelling of the same origin is accepted")
  func sameOrigin() async throws {
    let transport = MockTransport { request in
      let answer = MockAnswer.text("\(request.number)")
      return request.number == 1 ? answer.header("Link", "<HTTPS://u:p@A.example:443/x>; rel=next") : answer
    }
    let agent = RequestAgent(baseURL: "https://a.example", transport: transport)
    var pages: [String] = []
    for try await page in agent.pages(of: Get()) { pages.append(page) }
    #expect(pages == ["1", "2"])
    #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer secret", "Bearer secret"])
  }

  @Test("Trusted origins of the request are followed with credentials, and others are not")
  func trusted() async throws {
    let transport = MockTransport { request in
      let next = ["", "https://b.example/2", "https://c.example/3"][request.number]
      return .text(request.url?.absoluteString ?? "").header("Link", "<\(next)>; rel=next")
    }
    let request = Get(pagination: .link.following { $0.host == "b.example" && $0.scheme == "https" })
    let (pages, error) = try await walk(transport, request)
    #expect(pages == ["https://a.example/v1/items", "https://b.example/2"])
    #expect(error.reason == "the next page, https://c.example/3, has another origin than the first page")
    #expect(transport.requests.last?.headers["Authorization"] == "Bearer secret")
  }

  @Test("After a redirect to another origin, relative links also belong to that origin")
  func redirected() async throws {
    let transport = FunctionTransport { request, _ in
      if request.url.host == "a.example" {
        return HTTPResponse(status: 307, headers: ["Location": "https://b.example/items"], url: request.url)
      }
      return HTTPResponse(headers: ["Link": "</2>; rel=next"], body: Data("one".utf8), url: request.url)
    }
    let (pages, error) = try await walk(transport, Get())
    #expect(pages == ["one"])
    #expect(error.reason == "the next page, https://b.example/2, has another origin than the first page")
    #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer secret", nil])
  }

  @Test("After a redirect on the same origin, relative links are resolved against the new URL")
  func redirectedAtHome() async throws {
    let transport = FunctionTransport { request, _ in
      switch request.url.path {
      case "/v1/items": HTTPResponse(status: 302, headers: ["Location": "/v2/all/items"], url: request.url)
      case "/v2/all/items": HTTPResponse(headers: ["Link": "<more>; rel=next"], url: request.url)
      default: HTTPResponse(url: request.url)
      }
    }
    let agent = RequestAgent(baseURL: "https://a.example/v1", transport: transport)
    for try await _ in agent.pages(of: Get()) {}
    #expect(transport.requests.map(\.url.path) == ["/v1/items", "/v2/all/items", "/v2/all/more"])
  }

  @Test("Secrets of a URL are redacted in the error")
  func secrets() async throws {
    let (_, error) = try await walk(
      Self.linking(["/v1/items": "https://b.example/x?access_token=s3cret&page=2"]), Get())
    #expect(!error.description.contains("s3cret") && error.description.contains("page=2"))
  }

  @Test("A custom request has a single page")
  func customRequest() async throws {
    let url = try #require(URL(string: "https://a.example/v1/items"))
    let request = Get(customRequest: HTTPRequest(url: url))
    let (pages, error) = try await walk(Self.linking(["/v1/items": "?page=2"]), request)
    #expect(pages.count == 1)
    #expect(
      error.reason == "a customRequest has no second page, because Errand sends a customRequest unchanged")
  }
}
