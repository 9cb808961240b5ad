import Errand
import Foundation
import Testing

@testable import ErrandMocks

@Suite("Which requests a mock server forwards as a proxy")
struct ProxyForwarderTests {
  @Test(
    "A URL without a port has the standard port of its scheme",
    arguments: [
      (80, "http://127.0.0.1/", false), (80, "http://localhost:80/a", false), (80, "HTTP://[::1]/", false),
      (80, "http://127.0.0.1:8080/", true), (80, "https://127.0.0.1/", true), (80, "http://a.example/", true),
      (443, "https://localhost/", false), (443, "http://localhost/", true), (443, "ftp://localhost/", false),
    ])
  func ports(_ row: (port: Int, url: String, isForwarded: Bool)) throws {
    let passing = PassThrough(to: MockTransport { _ in .status(200) })
    let forwarder = ProxyForwarder(passing, from: row.port) {}
    let request = HTTPRequest(url: try #require(URL(string: row.url)))
    #expect(forwarder.takes(request) == row.isForwarded)
  }
}
