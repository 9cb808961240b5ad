import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A transport override")
struct TransportOverrideTests {
  let wire = MockTransport { _ in .text("wire") }
  let substitute = MockTransport { _ in .text("substitute") }

  func makeAgent() -> RequestAgent { RequestAgent(baseURL: "https://h", transport: wire) }

  static let request = OneOffRequest<String>.get("a", as: String.self)

  @Test("The override answers in every kind of dispatch, during its operation only")
  func everyWay() async throws {
    let agent = makeAgent()
    try await RequestAgent.withTransport(substitute) {
      #expect(try await agent.send(Self.request) == "substitute")
      #expect(try await agent.response(for: Self.request).value == "substitute")
      #expect(try await agent.start(Self.request).value == "substitute")
      var body = Data()
      for try await chunk in try await agent.stream(Self.request).body { body.append(chunk) }
      #expect(body == Data("substitute".utf8))
    }
    #expect(substitute.requests.count == 4)
    #expect(try await agent.send(Self.request) == "wire")
  }

  @Test("The innermost override counts, and tasks inherit the override except detached tasks")
  func inheritance() async throws {
    let agent = makeAgent()
    let inner = MockTransport { _ in .text("inner") }
    let values = try await RequestAgent.withTransport(substitute) {
      async let child = agent.send(Self.request)
      let task = Task { try await agent.send(Self.request) }
      let detached = Task.detached { try await agent.send(Self.request) }
      let nested = try await RequestAgent.withTransport(inner) { try await agent.send(Self.request) }
      return try await [child, task.value, detached.value, nested]
    }
    #expect(values == ["substitute", "substitute", "wire", "inner"])
  }

  @Test("A dispatch keeps the override over its attempts and redirects, even after the operation")
  func laterAttempts() async throws {
    let clock = TestClock()
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.retryPolicy = .upTo(1)
    let agent = RequestAgent(baseURL: "https://h", transport: wire, configuration: configuration)
    let stubs = MockTransport([
      Stub(.get, "/a", answers: .status(503), .status(302).header("Location", "/b")),
      Stub(.get, "/b", answers: .text("substitute")),
    ])
    let handle = await RequestAgent.withTransport(stubs) {
      let handle = agent.start(Self.request)
      await clock.waitForSleepers()
      return handle
    }
    await clock.advance(by: .seconds(60))
    #expect(try await handle.value == "substitute")
    #expect(stubs.requests.map(\.path) == ["/a", "/a", "/b"])
    #expect(wire.requests.isEmpty)
  }

  @Test("The request is built for the override's capabilities")
  func capabilities() async throws {
    let substitute = MockTransport(
      capabilities: TransportCapabilities(contentCodings: ["gzip"], streamsUploads: false)
    ) { _ in .status(200) }
    let chunks = AsyncStream<Data> { $0.finish() }
    let agent = makeAgent()
    try await RequestAgent.withTransport(substitute) {
      _ = try await agent.send(Self.request)
      let error = await #expect(throws: RequestError.self) {
        try await agent.send(.post("a", body: .stream(chunks)))
      }
      #expect(error?.kind == .unsupported)
    }
    #expect(substitute.requests.map { $0.headers["Accept-Encoding"] } == ["gzip"])
  }

  @Test("The operation's error is rethrown, on the caller's actor")
  @MainActor
  func isolation() async {
    await #expect(throws: CancellationError.self) {
      try await RequestAgent.withTransport(substitute) {
        MainActor.assertIsolated()
        throw CancellationError()
      }
    }
  }

  @Test("An agent records each scope of its creation or use once, and no other transport")
  func remembered() async throws {
    let (first, second) = (ScopeProbe(), ScopeProbe())
    let agent = await RequestAgent.withTransport(first) { makeAgent() }
    for scope in [second, first, second] {
      try await RequestAgent.withTransport(scope) { _ = try await agent.send(Self.request) }
    }
    try await RequestAgent.withTransport(substitute) { _ = try await agent.send(Self.request) }
    #expect(try await agent.send(Self.request) == "wire")
    #expect(first.strays + second.strays == [2])
    #expect(try await makeAgent().send(Self.request) == "wire")
    #expect(first.strays + second.strays == [2])
  }
}

/// Records the number of scopes for each stray request.
private final class ScopeProbe: TransportScope {
  let capabilities = TransportCapabilities()
  private let counts = Locked([Int]())

  var strays: [Int] { counts.withLock { $0 } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    TransportResponse(head: HTTPResponse(), body: BodyStream(Data()))
  }

  func transport(inPlaceOf own: any Transport) -> any Transport { self }

  func transport(
    forStrayAmong scopes: [any TransportScope], inPlaceOf own: any Transport
  ) -> (any Transport)? {
    counts.withLock { $0.append(scopes.count) }
    return nil
  }

  func notice(_ type: ObjectIdentifier, unused: () -> String?) {}
}
