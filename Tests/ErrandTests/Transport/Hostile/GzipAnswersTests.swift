#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Gzip written by the mocks")
struct GzipAnswersTests {
  let server: MockServer
  let agent: RequestAgent

  init() throws {
    server = try MockServer()
    agent = RequestAgent(baseURL: server.baseURL, transport: CurlTransport())
  }

  @Test("A body of any length round-trips", arguments: [0, 1, 65_535, 65_536, 200_000])
  func stored(count: Int) async throws {
    server.route(.get, "/", answers: .data(patternedBytes(count)).gzipped())
    #expect(try await agent.send(.get("", as: Data.self)) == patternedBytes(count))
  }

  @Test("A bomb decodes to the given number of zeros", arguments: [0, 1, 258, 259, 66_049, 5_000_000])
  func bomb(size: Int) async throws {
    server.route(.get, "/", answers: .bomb(size))
    let received = try await agent.response(for: .get("", as: Data.self))
    #expect(received.value == Data(count: size))
    let wire = try #require(received.report.attempts.first?.metrics).bytesReceived
    #expect(size < 5_000_000 || wire < Int64(size / 140))
  }
}
#endif
