#if os(Linux)
import CCurl
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Curl: routes", .timeLimit(.minutes(5)))
struct CurlRouteTests {
  typealias Route = ConnectionSettings.Route

  private let server = RawServer { connection in
    while let request = connection.readRequest() {
      let text = "\(request.value(of: "Host") ?? "")"
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }
  }

  private static func transport(
    _ routes: [String: Route], _ change: (inout ConnectionSettings) throws -> Void = { _ in }
  ) throws -> CurlTransport {
    var settings = ConnectionSettings()
    settings.proxies = .none
    settings.routes = routes
    try change(&settings)
    return try CurlTransport(settings)
  }

  private func url(_ host: String) throws -> URL {
    try #require(URL(string: "http://\(host):\(server.port)/"))
  }

  // MARK: Destinations

  @Test(
    "A destination gets the connections, and TLS and Host belong to the URL",
    .enabled(if: OpenSSL.system != nil))
  func destination() async throws {
    let blue = try MockServer(tls: .on(certificate: .forHost("api.example")))
    let green = try MockServer(tls: .on(certificate: .forHost("api.example")).sharingAuthority(of: blue))
    let stranger = try MockServer(tls: .on(certificate: .forHost("other.example")).sharingAuthority(of: blue))
    for (name, server) in [("blue", blue), ("green", green), ("stranger", stranger)] {
      server.route(.get, "/who") { .text("\(name) for \($0.headers["Host"] ?? "")") }
    }
    let url = try #require(URL(string: "https://api.example/who"))
    func ask(_ server: MockServer) async throws -> Result<String, TransportError> {
      let transport = try Self.transport([
        "*.example": .destination("stray.invalid"),
        "api.example": .destination("127.0.0.1", port: server.port),
      ]) { $0.tls.certificateAuthorities = blue.authority }
      do {
        return .success(try await transport.whole(url).text)
      } catch let error as TransportError {
        return .failure(error)
      }
    }
    #expect(try await ask(blue).get() == "blue for api.example")
    #expect(try await ask(green).get() == "green for api.example")
    guard case .failure(let error) = try await ask(stranger) else {
      Issue.record("the certificate of another host was accepted")
      return
    }
    #expect(error.kind == .secureConnectionFailed, "\(error)")
    #expect(error.message.contains("api.example:443 at 127.0.0.1:\(stranger.port)"), "\(error.message)")
    #expect(stranger.requests.isEmpty)
  }

  @Test("Pins of the host apply to a destination", .enabled(if: OpenSSL.system != nil))
  func pins() async throws {
    let server = try MockServer(tls: .on(certificate: .forHost("api.example")))
    server.route(.get, "/", answers: .text("ok"))
    let other = TLSSettings.PublicKeyPin(Data(repeating: 7, count: 32).base64EncodedString())
    for pin in [server.publicKeyPin, other] {
      let transport = try Self.transport(["api.example": .destination("127.0.0.1", port: server.port)]) {
        $0.tls.certificateAuthorities = server.authority
        $0.tls.pins = ["api.example": [try #require(pin)]]
      }
      let error = await transport.failure(try #require(URL(string: "https://api.example/")))
      #expect((error == nil) == (pin == server.publicKeyPin), "\(String(describing: error))")
    }
    #expect(server.requests.count == 1)
  }

  @Test("A destination keeps the port of the URL unless the route has a port")
  func port() async throws {
    let transport = try Self.transport(["api.invalid": .destination("127.0.0.1")])
    #expect(try await transport.whole(url("api.invalid")).text == "api.invalid:\(server.port)")
    #expect(try await transport.whole(url("API.invalid")).text == "API.invalid:\(server.port)")
    #expect(server.connectionCount <= 2)
  }

  @Test("A destination behind an HTTP proxy is reached through a tunnel, also for http URLs")
  func proxied() async throws {
    let proxy = TunnelProxy(to: server.port)
    let transport = try Self.transport(["api.invalid": .destination("green.invalid", port: 81)]) {
      $0.proxies = .all(try #require(Proxy(proxy.url())))
    }
    #expect(try await transport.whole(url("api.invalid")).text == "api.invalid:\(server.port)")
    #expect(proxy.requests.map { $0[0] } == ["CONNECT green.invalid:81 HTTP/1.1"])
  }

  @Test("A server behind the tunnel of an http URL gets no credentials of the proxy, and may answer 407")
  func proxiedRefusal() async throws {
    let origin = RawServer.answering("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno")
    let proxy = TunnelProxy(to: origin.port)
    let transport = try Self.transport(["api.invalid": .destination("green.invalid")]) {
      $0.proxies = .all(try #require(Proxy(proxy.url())))
    }
    let url = try #require(URL(string: "http://api.invalid/"))
    let refused = await transport.failure(url, headers: ["Proxy-Authorization": "Basic x"])
    #expect(refused?.kind == .invalidRequest, "\(String(describing: refused))")
    #expect(proxy.requests.isEmpty)
    let response = try await transport.whole(url)
    #expect(response.status == 407 && response.text == "no")
    #expect(origin.requests.count == 1)
  }

  // MARK: Addresses

  @Test("Names get the addresses of a route, and the next address is tried after a failure")
  func addresses() async throws {
    let transport = try Self.transport([
      "api.invalid": .addresses(["127.0.0.77", "127.0.0.1"]), "*.api.invalid": .addresses(["127.0.0.1"]),
    ])
    #expect(try await transport.whole(url("api.invalid")).text == "api.invalid:\(server.port)")
    #expect(try await transport.whole(url("eu.api.invalid")).text == "eu.api.invalid:\(server.port)")
    let response = try await transport.get(url("eu.api.invalid"))
    _ = try await response.body.all()
    #expect(response.body.summary.metrics?.remoteAddress == "127.0.0.1:\(server.port)")
    #expect(response.body.summary.metrics?.isConnectionReused == true)
    let stray = await transport.failure(try url("stray.invalid"))
    #expect(stray?.kind == .nameNotResolved)
  }

  @Test("An address in the URL and an unclear spelling of a name get no addresses of a route")
  func spellings() async throws {
    let transport = try Self.transport(["*": .addresses(["127.0.0.77"])])
    #expect(try await transport.whole(server.url()).text == "127.0.0.1:\(server.port)")
    let dotted = await transport.failure(try url("api.invalid."))
    #expect(dotted?.kind == .unsupported)
    #expect(
      dotted?.message
        == "ConnectionSettings.routes cannot give addresses to the host api.invalid.: write the host in ASCII"
    )
  }

  /// Each route leads to this machine.
  static let inward: [Route] = [
    .addresses(["127.0.0.1"]), .destination("127.0.0.1"), .lookup { _ in ["127.0.0.1"] },
  ]

  @Test("Private addresses at the end of a route are refused", arguments: inward)
  func guarded(_ route: Route) async throws {
    let transport = try Self.transport(["api.invalid": route])
    var request = TransportRequest(HTTPRequest(url: try url("api.invalid")), timeout: .seconds(60))
    request.refusesPrivateAddresses = true
    let sent = request
    let error = try await #require(throws: TransportError.self) { try await transport.send(sent) }
    #expect(error.kind == .destination && server.connectionCount == 0, "\(error)")
    #expect(
      error.message == "api.invalid:\(server.port) is at 127.0.0.1, which is not a public address",
      "\(error.message)")
  }

  // MARK: Lookups

  @Test("A closure is asked once in its lifetime for each host, also by concurrent requests")
  func lookup() async throws {
    let asked = Locked<[String]>([])
    let transport = try Self.transport([
      "*": .lookup { host in
        asked.withLock { $0.append(host) }
        return ["127.0.0.1"]
      }
    ])
    let (first, second) = (try url("Api.invalid"), try url("b.invalid"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try await transport.whole(first) } }
      try await group.waitForAll()
    }
    _ = try await transport.whole(second)
    #expect(asked.withLock { $0 } == ["api.invalid", "b.invalid"])
    transport.resetConnections()
    _ = try await transport.whole(second)
    #expect(asked.withLock { $0 } == ["api.invalid", "b.invalid", "b.invalid"])
  }

  @Test("A result is used until the end of its lifetime")
  func lifetime() async throws {
    let (start, passed) = (ContinuousClock.now, Locked(Duration.zero))
    let lookups = CurlLookups(now: { start + passed.withLock { $0 } })
    let calls = Locked(0)
    let lookup = NameLookup(lifetime: .seconds(30)) { _ in
      ["127.0.0.\(calls.withLock { count in count += 1; return count })"]
    }
    let request = TransportRequest(HTTPRequest(url: server.url()))
    var found: [[String]] = []
    for seconds in [0, 29, 30, 59, 60] {
      passed.withLock { $0 = .seconds(seconds) }
      found.append(try await lookups.addresses(of: "a", by: lookup, for: request))
    }
    #expect(found == [["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"], ["127.0.0.3"]])
  }

  @Test("A lookup that started before a reset of the connections stores no result")
  func resetLookup() async throws {
    let (calls, began, held) = (Locked(0), OneTime<Bool>(), OneTime<[String]>())
    let lookups = CurlLookups()
    let lookup = NameLookup(lifetime: .seconds(3600)) { _ in
      let call = calls.withLock { count in
        count += 1
        return count
      }
      guard call == 1 else { return ["127.0.0.\(call)"] }
      began.set(true)
      return try await held.wait()
    }
    let request = TransportRequest(HTTPRequest(url: server.url()))
    async let early = lookups.addresses(of: "a", by: lookup, for: request)
    _ = try await began.wait()
    lookups.removeAll()
    #expect(try await lookups.addresses(of: "a", by: lookup, for: request) == ["127.0.0.2"])
    held.set(["127.0.0.1"])
    #expect(try await early == ["127.0.0.1"])
    #expect(try await lookups.addresses(of: "a", by: lookup, for: request) == ["127.0.0.2"])
  }

  private struct Unknown: Error, CustomStringConvertible { let description = "no entry" }

  static let failing: [(Route, String)] = [
    (.lookup { _ in throw Unknown() }, "failed: no entry"),
    (.lookup { _ in [] }, "found no address"),
    (.lookup { _ in ["db"] }, "found \"db\", which is not an IP address"),
    (.lookup { _ in ["127.0.0.1%1,::1"] }, "found \"127.0.0.1%1,::1\", which is not an IP address"),
  ]

  @Test("A failed lookup is a name that was not resolved, and is not kept", arguments: failing.indices)
  func failedLookup(_ index: Int) async throws {
    let (route, end) = Self.failing[index]
    let transport = try Self.transport(["api.invalid": route])
    for _ in 0..<2 {
      let error = await transport.failure(try url("api.invalid"))
      #expect(
        error
          == TransportError(
            .nameNotResolved, "the lookup of ConnectionSettings.routes for api.invalid \(end)"))
    }
    #expect(server.connectionCount == 0)
  }

  @Test("A cancellation and a timeout end the wait for a closure at once")
  func hangingLookup() async throws {
    let (called, calling) = AsyncStream<Void>.makeStream()
    let transport = try Self.transport([
      "*": .lookup { _ in
        calling.yield()
        try await Task.sleep(for: .seconds(3600))
        return []
      }
    ])
    let (url, signal) = (try url("api.invalid"), CancellationSignal())
    async let cancelled = transport.failure(url, cancellation: signal)
    for await _ in called { break }
    signal.cancel()
    #expect(await cancelled == .cancelled)
    let late = await transport.failure(url, timeout: .milliseconds(30))
    #expect(late?.kind == .timedOut && late?.passedLimit == .connect, "\(String(describing: late))")
  }

  // MARK: Unix sockets

  private static func socketPath() -> String { "/tmp/errand-\(UUID().uuidString.prefix(8)).sock" }

  @Test("Requests to a Unix socket are sent with the URL's Host, each over its own connection")
  func unixSocket() async throws {
    let path = Self.socketPath()
    defer { unlink(path) }
    let server = RawServer(on: LoopbackSocket.listening(at: path)) { connection in
      while let request = connection.readRequest() {
        let text = "\(request.line) \(request.value(of: "Host") ?? "") \(request.body.count)"
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      }
    }
    // A proxy is not used for a Unix socket.
    let transport = try Self.transport(["engine.internal": .unixSocket(path)]) {
      $0.proxies = .all(try #require(Proxy("http://127.0.0.1:\(LoopbackSocket.refusingPort())")))
    }
    let url = try #require(URL(string: "http://engine.internal/v1/info"))
    let response = try await transport.get(url)
    #expect(try await response.body.all() == Data("GET /v1/info HTTP/1.1 engine.internal 0".utf8))
    #expect(response.body.summary.metrics?.remoteAddress == "unix:\(path)")
    let sent = try await transport.whole(url, .post, body: .data(patternedBytes(300_000)))
    #expect(sent.text == "POST /v1/info HTTP/1.1 engine.internal 300000")
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await transport.whole(url).text } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(texts) == ["GET /v1/info HTTP/1.1 engine.internal 0"] && texts.count == 50)
    #expect(server.connectionCount == 52)
  }

  @Test("A missing Unix socket is named, and no Unix socket is reached if private addresses are refused")
  func missingSocket() async throws {
    let path = Self.socketPath()
    let transport = try Self.transport(["engine.internal": .unixSocket(path)])
    let url = try #require(URL(string: "http://engine.internal/"))
    let error = await transport.failure(url)
    #expect(error?.kind == .connectionFailed)
    #expect(
      error?.message == "no connection to engine.internal:80 at \(path) could be made",
      "\(String(describing: error))")
    var request = TransportRequest(HTTPRequest(url: url), timeout: .seconds(60))
    request.refusesPrivateAddresses = true
    let sent = request
    let refused = try await #require(throws: TransportError.self) { try await transport.send(sent) }
    #expect(
      refused
        == TransportError(.destination, "engine.internal:80 is at \(path), which is not a public address"))
  }

  // MARK: Local address and name server

  @Test("Connections begin at the local address")
  func localAddress() async throws {
    let peers = Locked<[UInt32]>([])
    let server = RawServer(opening: { client in
      peers.withLock { $0.append(LoopbackSocket.peerAddress(of: client)) }
      return PlainChannel(client)
    }) { connection in
      while connection.readRequest() != nil { connection.send("HTTP/1.1 204 No\r\n\r\n") }
    }
    for address in ["127.0.0.2", "lo"] {
      let transport = try Self.transport([:]) { $0.localAddress = address }
      #expect(try await transport.whole(server.url()).status == 204)
    }
    #expect(peers.withLock { $0 } == [0x7F00_0002, 0x7F00_0001])
    let missing = try Self.transport([:]) { $0.localAddress = "errand7" }
    let error = await missing.failure(server.url())
    #expect(
      error
        == TransportError(
          .connectionFailed, "the network interface could not be used",
          code: Int(CCURLE_INTERFACE_FAILED.rawValue)),
      "\(String(describing: error))")
  }

  /// Answers a query for an IPv4 address (RFC 1035 section 4.1) with `127.0.0.1`.
  private static func answer(_ query: Data) -> Data {
    let question = Array(query.dropFirst(12))
    let isForIPv4 = question.dropLast(2).suffix(2) == [0, 1]
    var answer: [UInt8] = Array(query.prefix(2)) + [0x81, 0x80, 0, 1, 0, isForIPv4 ? 1 : 0, 0, 0, 0, 0]
    answer += question
    if isForIPv4 { answer += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1] }
    return Data(answer)
  }

  @Test("Names are looked up over HTTPS, and routes come first", .enabled(if: OpenSSL.system != nil))
  func nameServer() async throws {
    let resolver = try MockServer(tls: .on)
    resolver.route(.post, "/dns-query") {
      .data(Self.answer($0.body), contentType: "application/dns-message")
    }
    let transport = try Self.transport(["other.invalid": .addresses(["127.0.0.1"])]) {
      $0.tls.certificateAuthorities = resolver.authority
      $0.nameServer = resolver.baseURL.appendingPathComponent("dns-query")
    }
    #expect(try await transport.whole(url("other.invalid")).text == "other.invalid:\(server.port)")
    #expect(resolver.requests.isEmpty)
    #expect(try await transport.whole(url("api.invalid")).text == "api.invalid:\(server.port)")
    #expect(!resolver.requests.isEmpty)
    #expect(resolver.requests.allSatisfy { $0.body.contains(Data("api".utf8)) })
    var request = TransportRequest(HTTPRequest(url: try url("b.invalid")), timeout: .seconds(60))
    request.refusesPrivateAddresses = true
    let sent = request
    let error = try await #require(throws: TransportError.self) { try await transport.send(sent) }
    #expect(error.kind == .destination, "\(error)")
  }

  @Test("Without its server, no name is looked up elsewhere")
  func missingNameServer() async throws {
    let port = LoopbackSocket.refusingPort()
    let transport = try Self.transport([:]) {
      $0.nameServer = URL(string: "https://127.0.0.1:\(port)/dns-query")
    }
    let error = await transport.failure(try url("localhost.errand.test"))
    #expect(error?.kind == .nameNotResolved, "\(String(describing: error))")
  }

  // MARK: Checks

  private static func fault(_ change: (inout ConnectionSettings) -> Void) -> TransportError? {
    var settings = ConnectionSettings()
    change(&settings)
    do throws(TransportError) { try CurlConnections.check(settings, library: .system) } catch { return error }
    return nil
  }

  static let faults: [(Route, String)] = [
    (.addresses([]), "no address"),
    (.addresses(["127.0.0.1", "db"]), #"an invalid address, "db","#),
    (.addresses(["::1%lo"]), #"an invalid address, "::1%lo","#),
    (.destination("a b"), #"an invalid host, "a b","#),
    (.destination("*.a"), #"an invalid host, "*.a","#),
    (.destination("a:1"), #"an invalid host, "a:1","#),
    (.destination("a", port: 0), "the invalid port 0"),
    (.destination("a", port: 65_536), "the invalid port 65536"),
    (.unixSocket("a.sock"), #"an invalid path of a Unix socket, "a.sock","#),
  ]

  @Test("Invalid settings are errors at the creation of a transport")
  func faults() {
    for (route, clause) in Self.faults {
      #expect(
        Self.fault { $0.routes["a"] = route } == TransportError(.invalidRequest, "routes has \(clause) for a")
      )
    }
    #expect(
      Self.fault { $0.routes["/"] = .addresses(["::1"]) }?.message == #"routes contains an invalid host: "/""#
    )
    #expect(Self.fault { $0.routes["a"] = .destination("::1", port: 1) } == nil)
    #expect(Self.fault { $0.routes["a"] = .unixSocket("/" + String(repeating: "a", count: 106)) } == nil)
    #expect(
      Self.fault { $0.routes["a"] = .unixSocket("/" + String(repeating: "a", count: 107)) }?.kind
        == .invalidRequest)
    #expect(
      Self.fault { $0.nameServer = URL(string: "http://1.1.1.1/dns-query") }
        == TransportError(.invalidRequest, "nameServer is not an https URL: http://1.1.1.1/dns-query"))
    let withPassword = Self.fault { $0.nameServer = URL(string: "http://ada:s3cretWord@1.1.1.1/") }
    #expect(withPassword?.message.contains("s3cretWord") == false)
    #expect(Self.fault { $0.localAddress = "" } == TransportError(.invalidRequest, "localAddress is empty"))
    #expect(
      Self.fault { $0.httpVersion = .http3 }?.message
        == "CurlTransport does not send HTTP/3: use another httpVersion, or URLSessionTransport on Apple platforms"
    )
    #expect(
      Self.fault {
        $0.routes["a"] = .unixSocket("/a")
        $0.httpVersion = .http2
      }
        == TransportError(
          .unsupported, "CurlTransport uses HTTP/1.1 over Unix sockets, and httpVersion allows only HTTP/2"))
  }

  @Test("A libcurl that lacks a setting is named with the needed version")
  func shortfalls() {
    func shortfall(
      _ version: UInt32, features: Int32 = 0, _ change: (inout ConnectionSettings) -> Void
    ) -> String? {
      var (info, settings) = (ccurl_version_info_data(), ConnectionSettings())
      (info.version_num, info.features) = (version, features)
      change(&settings)
      return CurlRouteChecks.shortfall(of: info, for: settings)
    }
    #expect(shortfall(0x07_4C_00) { _ in } == nil)
    #expect(shortfall(0x07_4C_00) { $0.routes["a"] = .unixSocket("/a") } == "was built without Unix sockets")
    #expect(
      shortfall(0x07_4C_00, features: CCURL_VERSION_UNIX_SOCKETS) { $0.routes["a"] = .unixSocket("/a") }
        == nil)
    let http2 = "does not report the ends of HTTP/2 streams: use libcurl 8.3 or newer, built with HTTP/2"
    let features = CCURL_VERSION_HTTP2 | CCURL_VERSION_SSL
    #expect(shortfall(0x08_02_01, features: features) { $0.httpVersion = .http2 } == http2)
    #expect(shortfall(0x08_03_00, features: CCURL_VERSION_SSL) { $0.httpVersion = .http2 } == http2)
    #expect(shortfall(0x08_03_00, features: features) { $0.httpVersion = .http2 } == nil)
    #expect(
      shortfall(0x07_4F_00) { $0.pool.maximumAge = .seconds(1) }
        == "does not limit the age of connections: use libcurl 7.80 or newer")
    #expect(
      shortfall(0x07_4F_00) { $0.pool.maximumUses = 1 }
        == "does not tell which connection a request uses: use libcurl 7.80 or newer")
    #expect(shortfall(0x07_50_00) { ($0.pool.maximumAge, $0.pool.maximumUses) = (.seconds(1), 1) } == nil)
    let url = URL(string: "https://1.1.1.1/dns-query")
    #expect(
      shortfall(0x08_03_00) { $0.nameServer = url }
        == "prints its lookups over HTTPS: use libcurl 8.4 or newer")
    #expect(shortfall(0x08_04_00) { $0.nameServer = url } == nil)
    let pings =
      "sends no HTTP/2 PING frames for a multi handle: use libcurl 8.10 or newer, built with HTTP/2"
    #expect(shortfall(0x08_09_01, features: features) { $0.pool.pingInterval = .seconds(1) } == pings)
    #expect(shortfall(0x08_0A_00) { $0.pool.pingInterval = .seconds(1) } == pings)
    #expect(shortfall(0x08_0A_00, features: features) { $0.pool.pingInterval = .seconds(1) } == nil)
  }

  @Test("Routes are equal by value, and closures by identity")
  func equality() {
    let lookup = Route.lookup { _ in [] }
    #expect(
      Route.addresses(["::1"]) == .addresses(["::1"]) && Route.destination("a") != .destination("a", port: 1))
    #expect(lookup == lookup && lookup != .lookup { _ in [] })
    #expect(Set([lookup, lookup]).count == 1)
  }
}
#endif
