import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Kinds of network")
struct NetworkAccessTests {
  struct Movie: Request {
    typealias Response = Void
    var path = "movie"
    var networkAccess: NetworkAccess = [.cellular, .expensive]
    var coalescing: CoalescingPolicy = .none
  }

  @Test("A transport that cannot choose a network gets no request, and the error names both")
  func refused() async throws {
    let transport = FunctionTransport()
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    for (access, text) in [
      (NetworkAccess.all.subtracting(.constrained), "not constrained"),
      ([], "not cellular, not expensive, not constrained"),
    ] {
      let error = try await #require(throws: RequestError.self) {
        try await agent.send(Movie(networkAccess: access))
      }
      #expect(error.kind == .unsupported && error.stage == .build)
      #expect(error.reason == "networkAccess is \(text), and FunctionTransport cannot choose networks")
    }
    #expect(transport.requests.isEmpty)
    try await agent.send(Movie(networkAccess: .all))
    try await agent.send(Movie().with(\.networkAccess, .all))
    #expect(transport.requests.count == 2)
  }

  @Test("A transport that can choose gets the setting in every attempt, and a mock ignores the setting")
  func told() async throws {
    let asked = Locked([NetworkAccess]())
    struct Chooser: Transport {
      let asked: Locked<[NetworkAccess]>
      let capabilities = TransportCapabilities(choosesNetworks: true)
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        let count = asked.withLock { asked in
          asked.append(request.networkAccess)
          return asked.count
        }
        return TransportResponse(head: HTTPResponse(status: count == 1 ? 503 : 200), body: BodyStream(Data()))
      }
    }
    let agent = RequestAgent(baseURL: "http://a", transport: Chooser(asked: asked))
    try await agent.send(Movie().with(\.retryPolicy, .upTo(1, backoff: .constant(.zero))))
    try await agent.send(.get("x"))
    #expect(asked.withLock { $0 } == [[.cellular, .expensive], [.cellular, .expensive], .all])
    let mocked = RequestAgent(baseURL: "http://a", transport: MockTransport { _ in .status(204) })
    try await mocked.send(Movie())
  }

  @Test("Requests with different networks share no transfer")
  func coalescing() async throws {
    let transport = MockTransport { _ in .status(204).delayed(by: .milliseconds(1)) }
    let agent = RequestAgent(baseURL: "http://a", transport: transport)
    async let first: Void = agent.send(Movie(coalescing: .whileInFlight))
    async let second: Void = agent.send(Movie(coalescing: .whileInFlight))
    _ = try await (first, second)
    #expect(transport.requests.count == 2)
  }

  @Test("Undefined bits are left out")
  func bits() {
    #expect(NetworkAccess(rawValue: -1) == .all)
    #expect(NetworkAccess(rawValue: 8).isEmpty)
    #expect(NetworkAccess.all.summary == "all")
  }
}
