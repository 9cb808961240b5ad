#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Curl: several event loops", .timeLimit(.minutes(5)))
struct CurlLoopsTests {
  private static func number(_ text: String) throws -> UInt64 {
    let url = try #require(URL(string: text))
    return try #require(OriginNumber(of: url)).value
  }

  @Test(
    "An origin has the same number for all its URLs",
    arguments: [
      ["http://a.example", "http://a.example/", "HTTP://A.example/b?c=http://b/", "http://a.example:80/x"],
      ["https://a.example/x", "https://a.example:443?q", "https://a.example:443"],
      ["http://a.example:443/", "http://A.EXAMPLE:443/y"],
      ["http://[::1]:8080/", "http://[::1]:8080/z#f"],
    ])
  func sameOrigin(_ urls: [String]) throws {
    #expect(Set(try urls.map(Self.number)).count == 1)
  }

  @Test("Other schemes, hosts and ports have other numbers, distributed over the loops")
  func otherOrigins() throws {
    let urls = [
      "http://a", "https://a", "http://b", "http://a:443", "https://a:80", "http://a:8", "http://a:800",
    ]
    #expect(Set(try urls.map(Self.number)).count == urls.count)
    let shares = try (0..<1000).map { Int(try Self.number("http://h\($0).example/") % 4) }
    for loop in 0..<4 { #expect((150...350).contains(shares.count { $0 == loop })) }
  }

  @Test("Each origin keeps its connection on its loop", arguments: [1, 2, 4])
  func affinity(count: Int) async throws {
    let servers = try (0..<6).map { _ in try MockServer() }
    for server in servers { server.route(.get, "/*", answers: .text("fine")) }
    // On a busy machine, a connection may be idle for longer than the default lifetime of 60 s.
    let transport = CurlTransport(eventLoops: count, idleConnectionLifetime: .seconds(3600))
    for _ in 0..<5 {
      for server in servers {
        let url = server.baseURL.appendingPathComponent("a")
        #expect(try await transport.whole(url).text == "fine")
      }
    }
    #expect(servers.map(\.connectionCount) == [1, 1, 1, 1, 1, 1])
    #expect(servers.map(\.requestCount) == [5, 5, 5, 5, 5, 5])
  }

  @Test("A number of threads below 1 counts as 1")
  func atLeastOne() async throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    #expect(try await CurlTransport(eventLoops: -3).whole(server.url()).text == "ok")
  }

  @Test("A handle survives any number of connections that close during a request")
  func manyDeadConnections() async throws {
    let server = try MockServer()
    server.route(.get, "/last", answers: .text("last").then(.awaitNextRequest, .close))
    server.route(.get, "/next", answers: .text("next"))
    let transport = CurlTransport()
    for _ in 1...10 {
      #expect(try await transport.whole(server.baseURL.appendingPathComponent("last")).text == "last")
      #expect(try await transport.whole(server.baseURL.appendingPathComponent("next")).text == "next")
    }
    #expect(server.connectionCount == 11)
  }
}
#endif
