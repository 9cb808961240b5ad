import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandTelemetry

@Suite("The attributes of an attempt")
struct TelemetryAttributesTests {
  final class Watcher: Accessory {
    let texts = Recorder()
    let names: [String]
    init(_ names: [String] = []) { self.names = names }
    func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
      texts.add(attempt.attributes(requestHeaders: names, responseHeaders: names).description)
    }
  }

  static func texts(
    _ request: some Request, names: [String] = [], base: String = "https://api.example.com",
    _ answer: @escaping @Sendable (HTTPRequest, Int) async throws -> HTTPResponse
  ) async -> [String] {
    let watcher = Watcher(names)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock(autoAdvances: true))
    configuration.destinations = .init()
    let agent = RequestAgent(
      baseURL: base, transport: FunctionTransport(answer), accessories: [watcher],
      configuration: configuration)
    _ = try? await agent.send(request)
    return watcher.texts.events
  }

  struct GetUser: Request {
    typealias Response = Data
    let id: Int
    var path: String { "users/\(id)?token=s3cret" }
    let headers: HTTPHeaders = ["X-A": "1", "Authorization": "Bearer s3cret"]
    let retryPolicy = RetryPolicy.upTo(1)
  }

  @Test("Retries and redirects are counted, and secrets redacted")
  func resends() async {
    let texts = await Self.texts(GetUser(id: 7), names: ["x-a", "Authorization", "X-B", "None"]) {
      _, number in
      switch number {
      case 1: HTTPResponse(status: 503)
      case 2: HTTPResponse(status: 302, headers: ["Location": "https://api.example.com:8443/u"])
      default:
        HTTPResponse(headers: HTTPHeaders([.init(name: "X-B", value: "1"), .init(name: "x-b", value: "2")]))
      }
    }
    #expect(
      texts == [
        """
        error.type: 503
        http.request.header.authorization: Bearer <redacted>
        http.request.header.x-a: 1
        http.request.method: GET
        http.response.status_code: 503
        server.address: api.example.com
        server.port: 443
        url.full: https://api.example.com/users/7?token=<redacted>
        url.template: /users/{id}
        """,
        """
        http.request.method: GET
        http.request.resend_count: 2
        http.response.header.x-b: 1,2
        http.response.status_code: 200
        server.address: api.example.com
        server.port: 8443
        url.full: https://api.example.com:8443/u
        url.template: /users/{id}
        """,
      ])
  }

  @Test("A failure has its kind's name, a custom method its original name, and IPv6 no brackets")
  func odd() async {
    let request = OneOffRequest<Data>("a", method: "PURGE", response: .data)
    let texts = await Self.texts(request, base: "http://[::1]:8080") { _, _ in
      throw TransportError(.connectionLost, "it broke")
    }
    #expect(
      texts == [
        """
        error.type: connectionLost
        http.request.method: _OTHER
        http.request.method_original: PURGE
        server.address: ::1
        server.port: 8080
        url.full: http://[::1]:8080/a
        """
      ])
  }

  @Test("An unbuilt request only has an error type, and a cancelled request says so")
  func unsent() async {
    #expect(
      await Self.texts(GetUser(id: 7), base: "") { _, _ in HTTPResponse() } == ["error.type: invalidURL"])
    let texts = await Self.texts(OneOffRequest<Data>.get("a", as: Data.self)) { _, _ in
      withUnsafeCurrentTask { $0?.cancel() }
      throw CancellationError()
    }
    #expect(texts.first?.hasPrefix("error.type: cancelled\n") == true)
  }

  @Test(
    "The peer is an address with or without a port, or the path of a Unix socket",
    arguments: [
      ("[::1]:443", "::1", 443), ("127.0.0.1:80", "127.0.0.1", 80), ("[fe80::1]", "fe80::1", nil),
      ("127.0.0.1", "127.0.0.1", nil), ("unix:/run/a.sock", "/run/a.sock", nil), ("", nil, nil),
    ] as [(String, String?, Int?)])
  func peer(_ written: String, _ address: String?, _ port: Int?) {
    var metrics = TransportSummary.Metrics()
    metrics.remoteAddress = written
    #expect(metrics.peer?.address == address && metrics.peer?.port == port)
  }

  @Test("The transport's connection details are present, and metrics get attributes with few values")
  func connection() throws {
    var metrics = TransportSummary.Metrics()
    (metrics.httpVersion, metrics.remoteAddress, metrics.resends) = ("HTTP/2", "[::1]:443", 1)
    let attempt = AttemptReport(
      number: 1, request: HTTPRequest(url: try #require(URL(string: "https://a/7"))),
      response: HTTPResponse(),
      redirects: [], bodyLength: 0, metrics: metrics, isMocked: false, transferCount: 1, begun: .zero,
      elapsed: .seconds(2),
      slotWait: .milliseconds(500), throttleWait: .milliseconds(250), outcome: .success(()), stage: .decode)
    let attributes = attempt.attributes()
    #expect(
      attributes.names == [
        "http.request.method", "http.request.resend_count", "http.response.status_code",
        "network.peer.address", "network.peer.port", "network.protocol.name", "network.protocol.version",
        "server.address", "server.port", "url.full",
      ])
    #expect(attributes["network.protocol.version"] == .string("2"))
    #expect(
      attributes["network.peer.port"] == .int(443) && attributes["http.request.resend_count"] == .int(1))
    #expect(
      attributes.forMetrics.names == [
        "http.request.method", "http.response.status_code", "network.protocol.name",
        "network.protocol.version", "server.address", "server.port",
      ])
    #expect(attempt.requestDuration == 1.25 && attributes.spanName == "GET")
  }

  @Test("A cached response is not a sent request")
  func cached() async throws {
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    let agent = RequestAgent(
      baseURL: "https://a",
      transport: FunctionTransport { _, _ in HTTPResponse(headers: ["Cache-Control": "max-age=60"]) },
      configuration: configuration)
    let (first, second) = (
      try await agent.response(for: .get("x", as: Data.self)).report,
      try await agent.response(for: .get("x", as: Data.self)).report
    )
    #expect([first, second].map { $0.attempts.map(\.sentCount) } == [[1], [0]])
  }

  @Test("The count is restored from a written report")
  func coding() async throws {
    let agent = RequestAgent.mocked(Stub(.get, "/a", answers: .status(503), .text("")))
    let report = try await agent.response(for: .get("a", as: String.self).with(\.retryPolicy, .upTo(1)))
      .report
    let read = try JSONDecoder().decode(ExchangeReport.self, from: JSONEncoder().encode(report))
    #expect(report.attempts.map(\.resendCount) == [0, 1] && read.attempts.map(\.resendCount) == [0, 1])
  }

  @Test("Known methods are the conventions' methods, or those in the environment")
  func methods() async {
    let name = "OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"
    let known = TelemetryAttributes.knownMethods(in: [:])
    #expect(known.count == 10 && known.isSuperset(of: ["GET", "PATCH", "QUERY", "TRACE"]))
    #expect(TelemetryAttributes.knownMethods(in: [name: " GET, PURGE,,get "]) == ["GET", "PURGE", "get"])
    #expect(TelemetryAttributes.knownMethods(in: [name: " , "]) == known)
    let texts = await Self.texts(OneOffRequest<Data>("a", method: .query, response: .data)) { _, _ in
      HTTPResponse()
    }
    #expect(texts.first?.hasPrefix("http.request.method: QUERY\nhttp.response") == true)
  }

  @Test("Invalid numbers of a transport or a decoded report are clamped")
  func resendsOfOthers() throws {
    func attempt(resends: Int) throws -> AttemptReport {
      var metrics = TransportSummary.Metrics()
      metrics.resends = resends
      return AttemptReport(
        number: 1, request: HTTPRequest(url: try #require(URL(string: "https://a/"))),
        response: HTTPResponse(), redirects: [], bodyLength: 0, metrics: metrics, isMocked: false,
        transferCount: 1, begun: .zero, elapsed: .zero, outcome: .success(()), stage: .decode)
    }
    let first = try attempt(resends: .max)
    #expect(first.sentCount == .max && first.resendCount == .max - 1)
    var second = try attempt(resends: .max)
    second.continueCount(after: first)
    #expect(second.resendCount == .max - 1)
    #expect(second.attributes()["http.request.resend_count"] == .int(.max - 1))
    var third = try attempt(resends: -5)
    #expect(third.sentCount == 1 && third.resendCount == 0)
    third.sentBefore = .min
    #expect(third.resendCount == 0)
  }

  /// Also after a round trip of the report.
  private static func counts(_ report: ExchangeReport) throws -> [[Int]] {
    let read = try JSONDecoder().decode(ExchangeReport.self, from: JSONEncoder().encode(report))
    return [report, read].map { $0.attempts.map(\.sentCount) }
  }

  @Test("Redirects from the cache and from a mock are not sent requests")
  func localRedirects() async throws {
    struct Mocked: Request {
      typealias Response = Data
      let path = "a"
      let mockPolicy = MockPolicy.always

      func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
        request.url.path() == "/a" ? HTTPResponse(status: 302, headers: ["Location": "/b"]) : nil
      }
    }
    var configuration = AgentConfiguration()
    (configuration.cache, configuration.allowsMocks) = (MemoryCache(), true)
    let transport = FunctionTransport { request, _ in
      request.url.path() == "/moved"
        ? HTTPResponse(status: 301, headers: ["Location": "/x", "Cache-Control": "max-age=60"])
        : HTTPResponse(headers: ["Cache-Control": "no-store"])
    }
    let agent = RequestAgent(baseURL: "https://a", transport: transport, configuration: configuration)
    var reports: [ExchangeReport] = []
    for _ in 0..<2 { reports.append(try await agent.response(for: .get("moved", as: Data.self)).report) }
    reports.append(try await agent.response(for: Mocked()).report)
    #expect(try reports.map(Self.counts) == [[[2], [2]], [[1], [1]], [[1], [1]]])
    #expect(reports.map { $0.attempts[0].resendCount } == [1, 0, 0])
    #expect(transport.requests.count == 4)
  }

  @Test("A failed request counts if a stored response replaces the failure", arguments: [true, false])
  func replaced(_ isLost: Bool) async throws {
    var configuration = AgentConfiguration()
    configuration.cache = MemoryCache()
    let transport = FunctionTransport { _, number in
      if number == 1 { return HTTPResponse(headers: ["Cache-Control": "max-age=0, stale-if-error=60"]) }
      if isLost { throw TransportError(.connectionLost, "cut") }
      return HTTPResponse(status: 503)
    }
    let agent = RequestAgent(baseURL: "https://a", transport: transport, configuration: configuration)
    _ = try await agent.response(for: .get("x", as: Data.self))
    let report = try await agent.response(for: .get("x", as: Data.self)).report
    #expect(report.cache?.source == .stale && transport.requests.count == 2)
    #expect(try Self.counts(report) == [[1], [1]])
  }

  @Test("A data URL is not a sent request")
  func dataURL() async throws {
    let report = try await RequestAgent().response(for: .get("data:,x", as: Data.self)).report
    #expect(try Self.counts(report) == [[0], [0]])
  }

  @Test("A dispatch cancelled during a mock that declines is neither mocked nor sent")
  func cancelledMock() async throws {
    struct Mocked: Request {
      typealias Response = Data
      let started = OneTime<Void>()
      let gate = OneTime<Void>()
      let mockPolicy = MockPolicy.always

      func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
        started.set(())
        _ = try? await gate.wait()
        return nil
      }
    }
    var configuration = AgentConfiguration()
    configuration.allowsMocks = true
    let agent = RequestAgent(
      baseURL: "https://a", transport: FunctionTransport(), configuration: configuration)
    let request = Mocked()
    let handle = agent.start(request)
    try await request.started.wait()
    handle.cancel()
    request.gate.set(())
    await #expect(throws: RequestError.self) { try await handle.value }
    let attempts = try #require(handle.report).attempts
    #expect(attempts.map { "\($0.outcome.isCancelled) \($0.isMocked) \($0.sentCount)" } == ["true false 0"])
  }

  @Test("A transfer shared with another dispatch counts once")
  func shared() async throws {
    let gate = OneTime<Void>()
    let transport = FunctionTransport { _, _ in
      _ = try await gate.wait()
      return HTTPResponse()
    }
    let agent = RequestAgent(baseURL: "https://a", transport: transport)
    let request = OneOffRequest.get("x", as: Data.self).with(\.coalescing, .whileInFlight)
    async let first = agent.response(for: request).report
    await until { transport.requests.count == 1 }
    async let second = agent.response(for: request).report
    await until { agent.sharedTransfers.waiterCount == 2 }
    gate.set(())
    let reports = try await [first, second]
    #expect(try reports.map(Self.counts) == [[[1], [1]], [[0], [0]]] && transport.requests.count == 1)
  }
}
