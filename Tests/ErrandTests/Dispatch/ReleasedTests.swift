import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// A dispatch releases all its objects when the dispatch ends, whatever the outcome.
@Suite("Release of a dispatch")
struct ReleasedTests {
  final class Token: Sendable {}

  enum Way: String, CaseIterable, Sendable {
    case sent, received, refused, undecodable, retried, redirected, filtered, lost
    case streamed, streamedByHalf, streamGivenUp, streamRefused, streamRetried, streamLost
  }

  static func bytes(_ text: String, holding token: Token) -> Data {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: text.utf8.count, alignment: 1)
    copy.copyMemory(from: Array(text.utf8), byteCount: text.utf8.count)
    return Data(
      bytesNoCopy: copy, count: text.utf8.count,
      deallocator: .custom { pointer, _ in withExtendedLifetime(token) { pointer.deallocate() } })
  }

  static let answer = #"{"a": "a body that is too long to be kept within the value itself"}"#

  private struct Filter: RequestHooks {
    func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
      response.headers["X-Filtered"] = "yes"
    }
  }

  private static func agent(_ way: Way, _ token: Token) -> RequestAgent {
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.retryPolicy = [.retried, .streamRetried].contains(way) ? .upTo(2) : .none
    let transport = MockTransport(clock: clock) { [weak token] request in
      let body = token.map { bytes(answer, holding: $0) } ?? Data()
      let whole = MockAnswer.data(body, contentType: "text/plain")
      return switch way {
      case .refused, .streamRefused: .data(body, status: 404)
      case .retried, .streamRetried: request.number < 3 ? MockAnswer.data(body, status: 503) : whole
      case .redirected where request.number < 3: .data(body, status: 307).header("Location", "/next")
      case .lost, .streamLost: .failure(TransportError(.connectionLost, "gone"))
      default: whole
      }
    }
    return RequestAgent(
      baseURL: "https://mocked.example", transport: transport, hooks: way == .filtered ? [Filter()] : [],
      configuration: configuration)
  }

  private static func run(_ way: Way, _ agent: RequestAgent, _ request: some Request<String>) async throws {
    switch way {
    case .received: _ = try await agent.response(for: request)
    case .undecodable:
      _ = try await agent.send(
        OneOffRequest(
          "x", method: .post, body: request.body, response: .json() as any ResponseSerializer<[Int]>))
    case .streamed, .streamRefused, .streamRetried, .streamLost:
      for try await _ in try await agent.stream(request).body {}
    case .streamedByHalf:
      for try await _ in try await agent.stream(request).body { break }
    case .streamGivenUp: _ = try await agent.stream(request)
    default: _ = try await agent.send(request)
    }
  }

  @Test("No part of the request or the response is retained", arguments: Way.allCases)
  func released(_ way: Way) async throws {
    weak let ofRequest: Token?
    weak let ofResponse: Token?
    weak let ofValue: Token?
    do {
      let (request, response, value) = (Token(), Token(), Token())
      (ofRequest, ofResponse, ofValue) = (request, response, value)
      let agent = Self.agent(way, response)
      let endpoint = OneOffRequest(
        "x", method: .post, body: .data(Self.bytes(Self.answer, holding: request)),
        response: .text as any ResponseSerializer<String>
      ).with(\.userInfo, ["token": value]).with(\.deadline, .seconds(60))
      try? await Self.run(way, agent, endpoint)
      while agent.liveCount > 0 { await Task.yield() }
    }
    for _ in 0..<10_000 where ofRequest != nil || ofResponse != nil || ofValue != nil { await Task.yield() }
    #expect(ofRequest == nil && ofResponse == nil && ofValue == nil)
  }
}
