#if os(Linux)
import Errand
import ErrandMocks
import Foundation
import Testing

/// Needs a TLS server, which `.ci/run` starts.
@Suite(
  "Redirects between http and https",
  .enabled(
    if: Server.tls != nil && Server.authority != nil, "set ERRAND_TLS and ERRAND_AUTHORITY to run these"))
struct RedirectToTLSTests {
  typealias Table = RedirectTableTests

  struct Echo: Decodable, Sendable {
    var method: String
    var data: String
    var headers: [String: String]
  }

  let agent: RequestAgent
  let first: MockServer

  init() throws {
    first = try MockServer()
    agent = RequestAgent(
      baseURL: first.baseURL, transport: CurlTransport(certificateAuthorities: Server.authority))
  }

  @Test("To https, method and body follow RFC 9110, and credentials are not sent", arguments: Table.codes)
  func upgrade(_ code: Int) async throws {
    let target = try #require(Server.tls).appendingPathComponent("anything")
    first.route(
      nil, "/from/here",
      answers: .text("moved", status: HTTPResponse.Status(code)).header("Location", "\(target)"))
    for (method, expected) in zip(Table.methods, try #require(Table.followed[code])) where method != .head {
      for kind in [Table.Body.none, .data, .replayable] {
        let response = try await agent.send(Table.Call(method: method, kind: kind))
        let row = Comment("\(code) \(method) \(kind)")
        #expect(response.url == target, row)
        let echo = try JSONDecoder().decode(Echo.self, from: response.body)
        #expect(echo.method == expected.filter { $0 != "-" }, row)
        #expect(echo.data == (kind == .none || expected.hasSuffix("-") ? "" : Table.text), row)
        #expect(echo.headers["X-Plain"] == nil, row)
        let secrets = ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key"]
        #expect(secrets.filter { echo.headers[$0] != nil } == [], row)
      }
    }
  }

  @Test("A redirect back to http is refused, and nothing is sent")
  func downgrade() async throws {
    let call = OneOffRequest.get("\(try #require(Server.tls))/down", as: Data.self)
    let error = try await #require(throws: RequestError.self) { try await agent.send(call) }
    #expect(error.kind == .redirect)
    #expect(error.response?.status == 302)
  }

  @Test("An untrusted authority is refused with its own kind")
  func untrusted() async throws {
    let call = OneOffRequest.get("\(try #require(Server.tls))/get", as: Data.self)
    let error = try await #require(throws: RequestError.self) { try await RequestAgent().send(call) }
    #expect(error.kind == .secureConnectionFailed)
    #expect(error.description.contains("CurlTransport(certificateAuthorities: file)"))
    let missing = RequestAgent(
      transport: CurlTransport(certificateAuthorities: URL(fileURLWithPath: "/nowhere/authority.pem")))
    let other = try await #require(throws: RequestError.self) { try await missing.send(call) }
    #expect(other.kind == .secureConnectionFailed)
  }

  @Test("TLS is timed, and the version of HTTP is reported")
  func metrics() async throws {
    let call = OneOffRequest.get("\(try #require(Server.tls))/get", as: Data.self)
    let metrics = try #require(try await agent.response(for: call).report.attempts.last?.metrics)
    #expect(metrics.httpVersion == CurlTransport().capabilities.httpVersions.last)
    #expect(metrics.secureConnect > metrics.connect)
    #expect(metrics.firstByte >= metrics.secureConnect)
  }
}
#endif
