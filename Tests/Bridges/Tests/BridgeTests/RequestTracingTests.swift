import Errand
import ErrandMocks
import Foundation
import InMemoryTracing
import Testing
import Tracing

@Suite("Traces by swift-distributed-tracing")
struct RequestTracingTests {
  /// Creates a tracer with identifiers in the format of OpenTelemetry.
  static func tracer() -> InMemoryTracer {
    let ids = InMemoryTracer.IDGenerator.incrementing
    return InMemoryTracer(
      idGenerator: .init(
        nextTraceID: { String(repeating: "0", count: 31) + "1" },
        nextSpanID: {
          let number = ids.nextSpanID().filter(\.isNumber)
          return String(repeating: "a", count: 16 - number.count) + number
        }))
  }

  /// Sends a request inside a span.
  ///
  /// Returns the recorded spans and the server.
  static func trace(_ id: Int) async throws -> (spans: [FinishedInMemorySpan], server: MockServer) {
    let (tracer, server) = (tracer(), try Scene.server())
    let tracing = RequestTracing(
      tracer: tracer, requestHeaders: ["X-Kind", "Authorization"], responseHeaders: ["x-trace"])
    let agent = Scene.agent(server, hooks: [tracing])
    await tracer.withSpan("caller") { _ in _ = try? await agent.send(Scene.GetUser(id: id)) }
    return (tracer.finishedSpans, server)
  }

  static func lines(_ attributes: SpanAttributes) -> [String] {
    var lines: [String] = []
    attributes.forEach { name, value in
      switch value {
      case .string(let text): lines.append("\(name): \(text)")
      case .int64(let number): lines.append("\(name): \(number)")
      case .stringArray(let texts): lines.append("\(name): \(texts)")
      default: lines.append("\(name): of another kind")
      }
    }
    return lines.sorted()
  }

  @Test(
    "Three attempts and a redirect are three child spans of the caller's span, with standard attributes"
  )
  func attempts() async throws {
    let (spans, server) = try await Self.trace(7)
    let caller = try #require(spans.first { $0.operationName == "caller" })
    let own = spans.filter { $0.operationName != "caller" }
    #expect(own.map(\.operationName) == Array(repeating: "GET /users/{id}", count: 3))
    #expect(own.allSatisfy { $0.parentSpanID == caller.spanID && $0.kind == .client })
    #expect(own.map { $0.status?.code == .error } == [true, true, false])
    let place = [
      "network.peer.address: 127.0.0.1", "network.peer.port: \(server.port)", "network.protocol.name: http",
      "network.protocol.version: 1.1", "server.address: 127.0.0.1", "server.port: \(server.port)",
    ]
    let base = "http://127.0.0.1:\(server.port)"
    #expect(
      Self.lines(own[1].attributes) == [
        "error.type: 503", "http.request.header.authorization: [\"Bearer <redacted>\"]",
        "http.request.header.x-kind: [\"test\"]", "http.request.method: GET", "http.request.resend_count: 1",
        "http.response.status_code: 503",
      ] + place + ["url.full: \(base)/users/7?token=<redacted>", "url.template: /users/{id}"])
    #expect(
      Self.lines(own[2].attributes) == [
        "http.request.header.authorization: [\"Bearer <redacted>\"]",
        "http.request.header.x-kind: [\"test\"]", "http.request.method: GET", "http.request.resend_count: 3",
        "http.response.header.x-trace: [\"t1\"]", "http.response.status_code: 200",
      ] + place + ["url.full: \(base)/people/7", "url.template: /users/{id}"])
    // Each request carries the id of its span, including the redirected request.
    let sent = server.requests.map { $0.headers[InMemoryTracer.spanIDKey] }
    #expect(sent == [own[0].spanID, own[1].spanID, own[2].spanID, own[2].spanID])
    for span in spans { #expect(!"\(Self.lines(span.attributes))".contains(Scene.canary)) }
  }

  @Test("Another origin receives no trace headers")
  func elsewhere() async throws {
    let (tracer, stranger, server) = (Self.tracer(), try MockServer(), try MockServer())
    stranger.route(.get, "/there", answers: .text("ok"))
    server.route(.get, "/here", answers: .status(302).header("Location", "\(stranger.baseURL)/there"))
    let agent = Scene.agent(server, hooks: [RequestTracing(tracer: tracer)])
    #expect(try await agent.send(.get("here", as: String.self)) == "ok")
    #expect(server.requests.first?.headers.contains(InMemoryTracer.spanIDKey) == true)
    #expect(stranger.requests.first?.headers.contains(InMemoryTracer.spanIDKey) == false)
    #expect(tracer.finishedSpans.map(\.operationName) == ["GET"])
  }

  @Test("A dispatch that fails before sending is an error span without a server address")
  func unsent() async throws {
    let tracer = Self.tracer()
    let agent = RequestAgent(hooks: [RequestTracing(tracer: tracer)])
    await #expect(throws: RequestError.self) { try await agent.send(Scene.GetUser(id: 7)) }
    let span = try #require(tracer.finishedSpans.first)
    #expect(Self.lines(span.attributes) == ["error.type: invalidURL"])
    #expect(span.status?.code == .error && span.operationName == "HTTP")
  }

  @Test(
    "An OpenTelemetry collector accepts the spans, and knows every attribute",
    .enabled(
      if: ProcessInfo.processInfo.environment["ERRAND_OTLP"] != nil,
      "set ERRAND_OTLP to the URL of .ci/otlp.py to run this"))
  func collector() async throws {
    let url = try #require(ProcessInfo.processInfo.environment["ERRAND_OTLP"])
    let (spans, _) = try await Self.trace(7)
    let agent = RequestAgent(baseURL: url)
    let sent = OneOffRequest<String>(
      "v1/traces", method: .post, body: .json(OTLPTrace(spans)), response: .text)
    #expect(
      try await agent.send(sent)
        == "4 spans, 1 trace: caller < GET /users/{id}, GET /users/{id}, GET /users/{id}")
    let wrong = OneOffRequest<String>(
      "v1/traces", method: .post, body: .json(OTLPTrace(spans, renaming: "http.request.resend_count")),
      response: .text)
    let error = try await #require(throws: RequestError.self) { try await agent.send(wrong) }
    #expect(error.status == 400 && "\(error)".contains("http.request.resend_count.x is no attribute"))
  }
}
