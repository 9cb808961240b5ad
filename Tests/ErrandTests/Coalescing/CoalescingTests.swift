import Dispatch
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Shared transfers", .timeLimit(.minutes(5)))
struct CoalescingTests {
  /// Opens the transport when all dispatches wait.
  private func values<R: Request>(_ requests: [R], _ transport: HeldTransport) async -> [String]
  where R.Response == String {
    let agent = RequestAgent.held(by: transport)
    let handles = requests.map { agent.start($0) }
    await agent.waitForSharing(requests.count)
    transport.open()
    var values: [String] = []
    for handle in handles { values.append((try? await handle.value) ?? "failure") }
    #expect(agent.sharedTransfers.count == 0)
    return values
  }

  @Test("Of 100 identical requests one is sent, and each dispatch runs all stages")
  func hundred() async throws {
    let transport = HeldTransport()
    let recorders = (0..<100).map { _ in Recorder() }
    let values = await values(
      recorders.map {
        StageProbe(recorder: $0, accessories: [RecordingAccessory(recorder: $0)])
          .with(\.coalescing, .whileInFlight)
      }, transport)
    #expect(values == Array(repeating: "ok", count: 100))
    #expect(transport.requests.count == 1)
    for recorder in recorders {
      #expect(
        recorder.events == [
          "accessory.willStart", "accessory.attemptWillStart 1", "build", "request.filterRequest 1",
          "accessory.attemptWillSend 1", "validate.head 1", "validate.body 1", "request.filterResponse 1",
          "decode 1", "accessory.attemptDidStop 1", "request.preprocess success", "accessory.willStop",
          "request.filter success", "request.completed success", "accessory.didStop success",
        ])
    }
  }

  private final class Breaking: Transport {
    let wishes = Locked([Bool]())
    let capabilities = TransportCapabilities()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      wishes.withLock { $0.append(request.wantsFreshConnection) }
      throw TransportError(.connectionLost, "the connection broke")
    }
  }

  @Test("A retry after a lost connection wants a new connection, also for a shared transfer")
  func fresh() async throws {
    let transport = Breaking()
    for coalescing in [CoalescingPolicy.none, .whileInFlight] {
      let request = Shared(retryPolicy: .upTo(1, backoff: .constant()), coalescing: coalescing)
      await #expect(throws: RequestError.self) {
        try await RequestAgent(baseURL: "http://a.example", transport: transport).send(request)
      }
    }
    #expect(transport.wishes.withLock { $0 } == [false, true, false, true])
  }

  private final class Listener: Transport {
    let suspensions = Locked([Bool]())
    let capabilities = TransportCapabilities()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      suspensions.withLock { $0.append(request.suspension != nil) }
      return .ok
    }
  }

  @Test("A shared transfer is not suspended by one of its dispatches")
  func suspension() async throws {
    let listener = Listener()
    for coalescing in [CoalescingPolicy.none, .whileInFlight] {
      let request = Shared(coalescing: coalescing)
      _ = try await RequestAgent(baseURL: "http://a.example", transport: listener).start(request).value
    }
    #expect(listener.suspensions.withLock { $0 } == [true, false])
  }

  @Test("A server gets one request for 100 responses, and the report shows the sharing")
  func served() async throws {
    let (server, gate) = (try MockServer(), DispatchSemaphore(value: 0))
    defer { server.stop() }
    server.route(.get, "/users") { _ in
      gate.wait()
      return .text(String(repeating: "ok", count: 50_000))
    }
    let agent = RequestAgent(baseURL: server.baseURL)
    let reports = try await withThrowingTaskGroup(of: Received<String>.self) { group in
      for _ in 0..<100 { group.addTask { try await agent.response(for: Shared()) } }
      await agent.waitForSharing(100)
      gate.signal()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(server.requestCount == 1)
    #expect(reports.allSatisfy { $0.value.count == 100_000 && $0.report.attempts[0].bodyLength == 100_000 })
    #expect(reports.filter { !$0.report.attempts[0].isCoalesced }.count == 1)
  }

  @Test("Nothing is shared without a request's policy")
  func off() async throws {
    let transport = HeldTransport()
    transport.open()
    let agent = RequestAgent.held(by: transport)
    for _ in 0..<2 { #expect(try await agent.send(Shared(coalescing: .none)) == "ok") }
    // Not in flight together.
    for _ in 0..<2 {
      #expect(try await agent.response(for: Shared()).report.attempts[0].isCoalesced == false)
    }
    #expect(transport.requests.count == 4)
  }

  @Test("With different credentials two requests are sent, and each gets its own response")
  func credentials() async throws {
    let transport = HeldTransport { request, _ in
      TransportResponse(
        head: HTTPResponse(), body: BodyStream(Data((request.headers["Authorization"] ?? "-").utf8)))
    }
    let requests = (0..<10).map { number in
      Shared().with(\.authentication, .with(BearerAuthenticator(token: "t\(number % 2)")))
    }
    let values = await values(requests, transport)
    #expect(values == (0..<10).map { "Bearer t\($0 % 2)" })
    #expect(transport.requests.count == 2)
  }

  @Test(
    "Different signatures are not shared, unless their authenticator has an identity",
    arguments: [true, false])
  func signatures(_ isIdentified: Bool) async throws {
    struct Signing: Authenticator {
      let user: String?
      let nonce: Int
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        request.headers["X-Signature"] = "\(nonce)"
        if let user { context.identify(as: user) }
      }
    }
    let transport = HeldTransport()
    let agent = RequestAgent.held(by: transport)
    let handles = (0..<6).map { number in
      agent.start(
        Shared().with(
          \.authentication, .with(Signing(user: isIdentified ? "\(number % 2)" : nil, nonce: number))))
    }
    await agent.waitForSharing(6)
    transport.open()
    for handle in handles { #expect(try await handle.value == "ok") }
    #expect(transport.requests.count == (isIdentified ? 2 : 6))
  }

  @Test("POST is never shared, nor is a stream")
  func unsafe() async throws {
    let transport = HeldTransport()
    let agent = RequestAgent.held(by: transport)
    let posts = (0..<2).map { _ in agent.start(Shared(method: .post)) }
    async let first = agent.stream(Shared())
    async let second = agent.stream(Shared())
    while transport.requests.count < 4 { await Task.yield() }
    #expect(agent.sharedTransfers.count == 0)
    transport.open()
    for post in posts { _ = try await post.value }
    for stream in [try await first, try await second] { for try await _ in stream.body {} }
    #expect(transport.requests.count == 4)
  }

  @Test("Each hop of a redirect is shared")
  func redirect() async throws {
    let transport = HeldTransport { request, _ in
      guard request.url.path == "/users" else { return .ok }
      return TransportResponse(
        head: HTTPResponse(status: 302, headers: ["Location": "/people"]), body: BodyStream(Data()))
    }
    #expect(await values([Shared(), Shared(), Shared()], transport) == ["ok", "ok", "ok"])
    #expect(transport.requests.map(\.url.path).first == "/users")
    #expect(transport.requests.filter { $0.url.path == "/users" }.count == 1)
  }

  @Test("A dispatch that shared the first hop of a redirect, but not the last, is reported as shared")
  func firstHop() async throws {
    struct Apart: Request {
      typealias Response = String
      let path = "users"
      let coalescing = CoalescingPolicy.whileInFlight

      func redirectDecision(
        to next: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
      ) async throws -> RedirectPolicy.Decision {
        next.url.append(queryItems: [URLQueryItem(name: "dispatch", value: "\(context.id)")])
        return .follow
      }
    }
    let transport = HeldTransport { request, _ in
      guard request.url.path == "/users" else { return .ok }
      return TransportResponse(
        head: HTTPResponse(status: 302, headers: ["Location": "/people"]), body: BodyStream(Data()))
    }
    let agent = RequestAgent.held(by: transport)
    let handles = (0..<2).map { _ in agent.start(Apart()) }
    await agent.waitForSharing(2)
    transport.open()
    for handle in handles { #expect(try await handle.value == "ok") }
    #expect(handles.compactMap { $0.report?.attempts[0].isCoalesced }.filter(\.self).count == 1)
    #expect(
      transport.requests.map(\.url.absoluteString).sorted() == [
        "http://a/people?dispatch=1", "http://a/people?dispatch=2", "http://a/users",
      ])
  }
}
