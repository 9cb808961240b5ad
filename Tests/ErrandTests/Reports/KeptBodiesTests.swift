import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Bodies kept by errors and reports")
struct KeptBodiesTests {
  private struct Fetch: Request {
    typealias Response = Data
    var retryPolicy: RetryPolicy = .none
  }

  @Test("An error keeps the start of a long body, and not the whole memory")
  func beginning() async throws {
    let body = Data(repeating: 0x41, count: 1_000_000)
    let transport = FunctionTransport { _, _ in HTTPResponse(status: 503, body: body) }
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent(baseURL: "http://a.example", transport: transport).send(Fetch())
    }
    let kept = try #require(error.response?.body)
    #expect(kept == body.prefix(RequestError.bodyLimit))
    #expect(address(of: kept) != address(of: body))
  }

  @Test("The error of a walk over pages keeps the start of a long body")
  func page() async throws {
    struct Broken: Error {}
    let body = Data(repeating: 0x41, count: 1_000_000)
    let transport = FunctionTransport { _, _ in HTTPResponse(body: body) }
    let agent = RequestAgent(baseURL: "http://a.example", transport: transport)
    let pagination = Pagination<Data>(first: [:]) { _ in throw Broken() }
    let pages = agent.pages(of: Fetch(), by: pagination).makeAsyncIterator()
    _ = try await pages.next()
    let error = try await #require(throws: RequestError.self) { try await pages.next() }
    let kept = try #require(error.response?.body)
    #expect(kept == body.prefix(RequestError.bodyLimit))
    #expect(address(of: kept) != address(of: body))
  }

  @Test("A report keeps no body of any attempt, and the error keeps the last body")
  func attempts() async throws {
    let transport = FunctionTransport { _, number in
      HTTPResponse(status: 503, body: Data("body \(number)".utf8))
    }
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(Fetch(retryPolicy: .upTo(2)))
    }
    #expect(error.response?.body == Data("body 3".utf8))
    let attempts = try #require(error.report).attempts
    #expect(attempts.map(\.bodyLength) == [6, 6, 6])
    #expect(attempts.map(\.response?.body) == [Data(), Data(), Data()])
    #expect(attempts.map(\.failure?.response?.body) == [Data(), Data(), Data()])
    #expect(attempts.map(\.failure?.response?.status) == [503, 503, 503])
  }

  private func address(of data: Data) -> UnsafeRawPointer? { data.withUnsafeBytes(\.baseAddress) }
}
