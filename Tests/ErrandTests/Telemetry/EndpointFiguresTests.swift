import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandTelemetry

@Suite("The figures of endpoints")
struct EndpointFiguresTests {
  struct GetUser: Request {
    typealias Response = Data
    let id: Int
    var path: String { "users/\(id)" }
  }

  struct Search: Request {
    typealias Response = Data
    let term: String
    var path: String { "search" }
    var query: Parameters { ["q": term] }
    var urlTemplate: String? { "/search" }
  }

  /// Each answer takes the milliseconds of the segment after `users/`, or 5 ms.
  static func agent(_ figures: EndpointFigures) -> RequestAgent {
    let clock = TestClock(autoAdvances: true)
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    let transport = FunctionTransport { request, _ in
      let number = Int(request.url.lastPathComponent) ?? 5
      try await clock.sleep(for: .milliseconds(number))
      if number == 500 { throw TransportError(.connectionLost, "it broke") }
      return HTTPResponse(status: number == 404 ? 404 : 200, body: Data("ok".utf8))
    }
    return RequestAgent(
      baseURL: "https://api.example.com", transport: transport, accessories: [figures],
      configuration: configuration)
  }

  @Test("Counts, failures and quantiles are kept by endpoint, and printed as a table")
  func table() async {
    let figures = EndpointFigures()
    let agent = Self.agent(figures)
    for id in (1...100) + [404, 500] { _ = try? await agent.send(GetUser(id: id)) }
    for term in ["a", "s3cret"] { _ = try? await agent.send(Search(term: term)) }
    #expect(
      figures.description == """
        endpoint                         count  failed  cancelled  p50      p95      p99      max
        GET api.example.com /users/{id}  102    2       0          0.051 s  0.097 s  0.406 s  0.500 s
        GET api.example.com /search      2      0       0          0.005 s  0.005 s  0.005 s  0.005 s
        """)
    let users = figures.endpoints[0]
    #expect([users.method, users.server, users.urlTemplate] == ["GET", "api.example.com", "/users/{id}"])
    #expect(users.sum == .milliseconds(5050 + 904) && users.minimum == .milliseconds(1))
    #expect(users.bucketCounts == [5, 5, 15, 25, 25, 25, 0, 2, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("Figures have OpenTelemetry attributes, and the dimensions of a metric")
  func attributes() async throws {
    let figures = EndpointFigures()
    let agent = Self.agent(figures)
    try await agent.send(GetUser(id: 8))
    for share in [-Double.infinity, -1, 0, 2, .infinity, .nan] {
      #expect(figures.endpoints[0].quantile(share) == .milliseconds(8))
    }
    let attributes = figures.endpoints[0].attributes
    #expect(
      attributes.description == """
        errand.endpoint.cancellations: 0
        errand.endpoint.count: 1
        errand.endpoint.failures: 0
        errand.endpoint.max: 0.008
        errand.endpoint.p50: 0.008
        errand.endpoint.p95: 0.008
        errand.endpoint.p99: 0.008
        http.request.method: GET
        server.address: api.example.com
        server.port: 443
        url.template: /users/{id}
        """)
    #expect(
      attributes.forMetrics.names == ["http.request.method", "server.address", "server.port", "url.template"])
  }

  @Test("Beyond the limit, endpoints count together; a reset returns all and removes all")
  func limit() async {
    let figures = EndpointFigures(limit: 2)
    let agent = Self.agent(figures)
    for path in ["a", "a", "b", "c", "d", "b", "a"] {
      _ = try? await agent.send(OneOffRequest.get(path).with(\.urlTemplate, "/\(path)"))
    }
    let names = ["GET api.example.com /a", "GET api.example.com /b", "all others"]
    #expect(figures.endpoints.map(\.name) == names && figures.endpoints.map(\.count) == [3, 2, 2])
    #expect(figures.endpoints[2].method == nil && figures.endpoints[2].attributes.forMetrics.names == [])
    #expect(figures.reset().map(\.name) == names)
    #expect(figures.endpoints == [])
    #expect(figures.description.split(separator: "\n").count == 1)
  }

  @Test("Cancelled attempts count separately, and unsent attempts do not count")
  func unsent() async throws {
    let figures = EndpointFigures()
    let gate = GateTransport()
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: gate, accessories: [figures])
    let handle = agent.start(GetUser(id: 7))
    await until { gate.starts.count > 0 }
    handle.cancel()
    _ = try? await handle.value
    _ = try? await agent.send(OneOffRequest.get("http://stray.example/"))
    let endpoints = figures.endpoints
    #expect(endpoints.map(\.name) == ["GET api.example.com /users/{id}"])
    #expect(endpoints.map(\.count) == [0] && endpoints.map(\.cancellations) == [1])
    #expect(endpoints.map(\.p99) == [.zero] && endpoints.map(\.maximum) == [.zero])
  }

  @Test("10,000 concurrent attempts of 300 endpoints are all counted, in bounded memory")
  func storm() async {
    let figures = EndpointFigures(limit: 100)
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: FunctionTransport(), accessories: [figures],
      configuration: AgentConfiguration(maxRequestsPerOrigin: 0))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<10_000 {
        group.addTask {
          _ = try? await agent.send(OneOffRequest.get("a").with(\.urlTemplate, "/\(number % 300)"))
        }
      }
    }
    #expect(figures.endpoints.count == 101)
    #expect(figures.endpoints.map(\.count).reduce(0, +) == 10_000)
  }
}
