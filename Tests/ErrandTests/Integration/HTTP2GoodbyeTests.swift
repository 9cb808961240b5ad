#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// Runs against an nginx that ends each connection with its twentieth request, and an nginx without HTTP/2.
@Suite(
  "HTTP/2: goodbyes", .timeLimit(.minutes(5)),
  .enabled(
    if: Server.shortTLS != nil && Server.oldTLS != nil && Server.authority != nil
      && CurlTransport().capabilities.httpVersions.contains("HTTP/2"),
    "set ERRAND_TLS_SHORT, ERRAND_TLS_OLD and ERRAND_AUTHORITY, and have libcurl 8.3, to run these"))
struct HTTP2GoodbyeTests {
  typealias Sighting = HTTP2Sighting

  let transport = CurlTransport(certificateAuthorities: Server.authority)

  @Test("Requests that a closing connection rejected are sent again on another, shared connection")
  func goodbye() async throws {
    let all = try await Sighting.of(transport, #require(Server.shortTLS), count: 500, width: 50)
    #expect(all.map(\.number) == Array(0..<500))
    #expect(Set(all.map(\.version)) == ["HTTP/2.0"])
    let resends = all.map(\.metrics.resends)
    // The minimum is 25 connections. A new connection for each repeated request would make over 200.
    #expect(Set(all.map(\.connection)).count < 200)
    #expect(resends.allSatisfy { (0...2).contains($0) })
  }

  @Test("A rejected POST is sent again, and a POST that the server may have processed is not")
  func post() async throws {
    let base = try #require(Server.shortTLS)
    let outcomes = await withTaskGroup(of: String.self) { group in
      for number in 0..<100 {
        group.addTask { [transport] in
          do {
            return "\(try await Sighting(transport, base, number: number, method: .post).metrics.resends)"
          } catch {
            return "\(error)"
          }
        }
      }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    let refusal =
      "the server closed a reused connection without an answer; the server may have received the POST, so the POST was not sent again"
    #expect(outcomes.contains("0"))
    #expect(outcomes.isSubset(of: ["0", "1", "2", refusal]))
  }

  @Test("If the server has no HTTP/2, no request waits for another request")
  func old() async throws {
    let all = try await Sighting.of(transport, #require(Server.oldTLS), count: 50)
    #expect(all.map(\.number) == Array(0..<50))
    #expect(Set(all.map(\.version)) == ["HTTP/1.1"])
    #expect(Set(all.map(\.metrics.httpVersion)) == ["HTTP/1.1"])
  }
}
#endif
