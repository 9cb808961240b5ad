import Foundation
import Testing

@testable import Errand

@Suite("Allowed destinations")
struct DestinationPolicyTests {
  private static let open: DestinationPolicy = {
    var policy = DestinationPolicy()
    policy.plainHTTP = .allowed
    return policy
  }()

  private static let strict: DestinationPolicy = {
    var policy = DestinationPolicy()
    (policy.plainHTTP, policy.allowsPlainLoopback) = (.refused, false)
    return policy
  }()

  private static let listed: DestinationPolicy = {
    var policy = DestinationPolicy()
    policy.hosts = ["a.example", "*.b.example", "10.0.0.0/8"]
    return policy
  }()

  private static let guarded: DestinationPolicy = {
    var policy = open
    policy.refusesPrivateAddresses = true
    return policy
  }()

  /// A policy, a URL, whether code names the origin, and the reason of the refusal.
  static let rows: [(String, DestinationPolicy, String, Bool, String?)] = [
    ("https", .init(), "https://a.example/", false, nil),
    (
      "http elsewhere", .init(), "http://a.example/x?y=z", false,
      #"the request to "http://a.example/x" would not be encrypted"#
    ),
    (
      "in capitals", .init(), "HTTP://a.example/", false,
      #"the request to "HTTP://a.example/" would not be encrypted"#
    ),
    ("http of a named origin", .init(), "http://a.example/", true, nil),
    ("loopback", .init(), "http://localhost:8080/", false, nil),
    ("loopback by number", .init(), "http://127.0.0.2/", false, nil),
    ("loopback of IPv6", .init(), "http://[::1]/", false, nil),
    (
      "like loopback", .init(), "http://127.0.0.1.example/", false,
      #"the request to "http://127.0.0.1.example/" would not be encrypted"#
    ),
    ("http allowed", open, "http://a.example/", false, nil),
    (
      "http refused", strict, "http://a.example/", true,
      #"the request to "http://a.example/" would not be encrypted"#
    ),
    (
      "loopback refused", strict, "http://127.0.0.1/", true,
      #"the request to "http://127.0.0.1/" would not be encrypted"#
    ),
    ("https to loopback", strict, "https://127.0.0.1/", false, nil),
    ("a listed host", listed, "https://A.example:8443/", true, nil),
    ("a listed domain", listed, "https://x.b.example/", true, nil),
    ("a block", listed, "https://10.3.4.5/", true, nil),
    (
      "another host", listed, "https://b.example/", true,
      #"the host of "https://b.example/" is not in destinations.hosts"#
    ),
    (
      "a longer one", listed, "https://a.example.other/", true,
      #"the host of "https://a.example.other/" is not in destinations.hosts"#
    ),
    (
      "a listed host by http", listed, "http://a.example/", false,
      #"the request to "http://a.example/" would not be encrypted"#
    ),
    ("a public address", guarded, "https://1.1.1.1/", true, nil),
    (
      "a private address", guarded, "https://10.0.0.1/", true,
      #"the address of "https://10.0.0.1/" is not public"#
    ),
    ("a number for a host", listed, "https://0xa030405/", true, nil),
    ("loopback by one number", .init(), "http://2130706433/", false, nil),
    (
      "elsewhere by one number", .init(), "http://2164260865/", false,
      #"the request to "http://2164260865/" would not be encrypted"#
    ),
    (
      "a private address by one number", guarded, "https://167772161/", true,
      #"the address of "https://167772161/" is not public"#
    ),
    (
      "metadata", guarded, "http://169.254.169.254/latest", true,
      #"the address of "http://169.254.169.254/latest" is not public"#
    ),
    (
      "mapped", guarded, "http://[::ffff:10.0.0.1]/", true,
      #"the address of "http://[::ffff:10.0.0.1]/" is not public"#
    ),
    (
      "this machine", guarded, "http://app.localhost/", true,
      #"the address of "http://app.localhost/" is not public"#
    ),
    (
      "a list with a URL", DestinationPolicy(hosts: ["https://a.example"]), "https://a.example/", true,
      #"destinations.hosts contains an invalid host: "https://a.example""#
    ),
    (
      "an empty list", DestinationPolicy(hosts: []), "https://a.example/", true,
      #"the host of "https://a.example/" is not in destinations.hosts"#
    ),
    ("data", strict, "data:text/plain,x", false, nil),
  ]

  @Test("Each URL is judged by scheme, host and address", arguments: rows)
  func judged(_ row: (String, DestinationPolicy, String, Bool, String?)) throws {
    var reason: String?
    do { try row.1.check(try #require(URL(string: row.2)), isNamed: row.3) } catch let error as Refusal {
      reason = error.message
      #expect(error.kind == .destination)
    }
    #expect(reason == row.4, "\(row.0)")
  }

  private static func agent(
    _ transport: FunctionTransport, base: String = "https://a.example", hooks: [any RequestHooks] = [],
    _ change: (inout AgentConfiguration) -> Void = { _ in }
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    change(&configuration)
    return RequestAgent(baseURL: base, transport: transport, hooks: hooks, configuration: configuration)
  }

  private static func failure(_ agent: RequestAgent, _ path: String) async -> RequestError? {
    do {
      _ = try await agent.send(.get(path, as: Data.self))
      return nil
    } catch { return error as? RequestError }
  }

  @Test(
    "Forbidden targets of a path, a redirect, a hook and a custom request are refused, and nothing is sent")
  func everyWay() async throws {
    struct Moving: RequestHooks {
      func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
        if request.url.path == "/hook" { request.url = URL(string: "https://evil.example/")! }
      }
      func redirectDecision(
        to next: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
      ) async throws -> RedirectPolicy.Decision {
        if next.url.path == "/turn" { next.url = URL(string: "https://evil.example/")! }
        return .follow
      }
    }
    struct Custom: Request {
      typealias Response = Data
      var customRequest: HTTPRequest? { HTTPRequest(url: URL(string: "https://evil.example/")!) }
    }
    let transport = FunctionTransport { http, _ in
      switch http.url.path {
      case "/away": HTTPResponse(status: 302, headers: ["Location": "https://evil.example/"])
      case "/turned": HTTPResponse(status: 302, headers: ["Location": "/turn"])
      default: HTTPResponse()
      }
    }
    let agent = Self.agent(transport, hooks: [Moving()]) { $0.destinations.hosts = ["a.example"] }
    for path in ["https://evil.example/", "away", "turned", "hook"] {
      let error = await Self.failure(agent, path)
      #expect(error?.kind == .destination, "\(path)")
      #expect(error?.reason.contains("is not in destinations.hosts") == true)
    }
    await #expect(throws: RequestError.self) { try await agent.send(Custom()) }
    #expect(Set(transport.requests.map(\.url.host)) == ["a.example"])
    #expect(await Self.failure(agent, "fine") == nil)
  }

  @Test("A named origin may use http, and a target from data may not, unless allowed")
  func named() async throws {
    let transport = FunctionTransport.leading(["http://a.example/away": "http://b.example/"])
    let agent = Self.agent(transport, base: "http://a.example")
    #expect(await Self.failure(agent, "x") == nil)
    #expect(await Self.failure(agent, "http://a.example/y") == nil)
    let away = await Self.failure(agent, "away")
    #expect(
      away?.reason == #"the request to "http://b.example/" would not be encrypted"#
        && away?.stage == .transport)
    #expect(
      away?.description.contains(
        "Try: Check where the URL came from. AgentConfiguration.destinations sets the allowed destinations.")
        == true
    )
    #expect(await Self.failure(agent, "http://b.example/")?.stage == .build)
    let trusting = Self.agent(transport, base: "http://a.example") {
      $0.trustedOrigins = [URL(string: "http://b.example")!]
    }
    #expect(await Self.failure(trusting, "away") == nil)
    let allowing = Self.agent(transport, base: "http://a.example") { $0.destinations.plainHTTP = .allowed }
    #expect(await Self.failure(allowing, "http://c.example/") == nil)
    let refusing = Self.agent(transport, base: "http://a.example") { $0.destinations.plainHTTP = .refused }
    #expect(await Self.failure(refusing, "x")?.kind == .destination)
    #expect(await Self.failure(refusing, "http://localhost/") == nil)
  }

  @Test("A transport that does not judge addresses is refused if addresses must be judged")
  func capability() async throws {
    let transport = FunctionTransport()
    let agent = Self.agent(transport) { $0.destinations.refusesPrivateAddresses = true }
    let error = await Self.failure(agent, "x")
    #expect(error?.kind == .unsupported && transport.requests.isEmpty)
    #expect(
      error?.reason
        == "destinations.refusesPrivateAddresses is set, and FunctionTransport does not check addresses")
  }
}

#if os(Linux)
@Suite("Addresses that are not public", .timeLimit(.minutes(5)))
struct PrivateAddressTests {
  private static func agent(_ transport: CurlTransport) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.destinations.refusesPrivateAddresses = true
    configuration.destinations.plainHTTP = .allowed
    configuration.retryPolicy = .upTo(2)
    return RequestAgent(transport: transport, configuration: configuration)
  }

  private let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

  /// Spellings of addresses of this machine that are not canonical IP addresses.
  static let spellings = [
    ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"),
    ("0", "0.0.0.0"),
  ]

  @Test("Such addresses are refused in every notation", arguments: spellings)
  func numbers(_ row: (host: String, address: String)) async throws {
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(CurlTransport()).send(.get("http://\(row.host):\(server.port)/", as: String.self))
    }
    #expect(error.kind == .destination && error.stage == .build, "\(error)")
    #expect(server.connectionCount == 0)
    #expect(error.reason == #"the address of "http://\#(row.address):\#(server.port)/" is not public"#)
  }

  private func guarded(_ host: String) throws -> TransportRequest {
    let url = try #require(URL(string: "http://\(host):\(server.port)/"))
    var request = TransportRequest(HTTPRequest(url: url), timeout: .seconds(300))
    request.refusesPrivateAddresses = true
    return request
  }

  /// No earlier check has judged the host, so only the connection reveals the address.
  @Test(
    "No connection is made to such an address, for any host name",
    arguments: ["localhost"] + spellings.map(\.0))
  func connections(_ host: String) async throws {
    let request = try guarded(host)
    let error = try await #require(throws: TransportError.self) { try await CurlTransport().send(request) }
    #expect(error.kind == .destination && server.connectionCount == 0, "\(error)")
    #expect(error.message.hasSuffix("which is not a public address"), "\(error.message)")
  }

  @Test("An existing connection to such an address is not reused")
  func reused() async throws {
    let transport = CurlTransport()
    let request = try guarded("localhost")
    #expect(try await transport.whole(request.request.url).text == "ok")
    let error = try await #require(throws: TransportError.self) { try await transport.send(request) }
    #expect(error.kind == .destination && server.requests.count == 1, "\(error)")
  }

  @Test("No proxy is used, because a proxy's connections cannot be judged")
  func proxy() async throws {
    var settings = ConnectionSettings()
    settings.proxies = .all(try #require(Proxy("http://127.0.0.1:\(server.port)")))
    let error = try await #require(throws: RequestError.self) {
      try await Self.agent(CurlTransport(settings)).send(.get("http://1.1.1.1/", as: String.self))
    }
    #expect(error.kind == .unsupported && server.connectionCount == 0)
    #expect(
      error.reason
        == "destinations.refusesPrivateAddresses is set, but the addresses behind the proxy http://127.0.0.1:\(server.port) cannot be checked: set ConnectionSettings.proxies to .none to bypass the proxy"
    )
  }
}
#endif
