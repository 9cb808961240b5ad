#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: explicit proxies", .timeLimit(.minutes(5)))
struct CurlProxyTests {
  /// Returns the request line and the proxy credentials, also as a proxy for http.
  private let server = RawServer { connection in
    while let request = connection.readRequest() {
      let text = request.value(of: "Proxy-Authorization").map { " \($0)" } ?? ""
      connection.send(
        "HTTP/1.1 200 OK\r\nContent-Length: \(request.line.utf8.count + text.utf8.count)\r\n\r\n\(request.line)\(text)"
      )
    }
  }

  private static func transport(_ rules: Proxy.Rules) throws -> CurlTransport {
    var settings = ConnectionSettings()
    settings.proxies = rules
    settings.tls.certificateAuthorities = TLSIdentity.certificate
    return try CurlTransport(settings)
  }

  private static func proxy(_ url: String, _ password: String? = nil) throws -> Proxy {
    try #require(
      Proxy(url, credentials: password.flatMap { BasicCredentials(username: "ada", password: $0) }))
  }

  /// `ada:s3cret`.
  private static let basic = "Proxy-Authorization: Basic YWRhOnMzY3JldA=="

  private static func asking(_ head: [String]) -> String? {
    head.contains(basic)
      ? nil
      : "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"office\"\r\nContent-Length: 4\r\n\r\nwho?"
  }

  @Test("An http URL is sent to its proxy with the proxy's credentials, and the report says so")
  func plain() async throws {
    let transport = try Self.transport(
      .all(Self.proxy("http://127.0.0.1:\(server.port)", "s3cret"), exceptions: ["127.0.0.1"]))
    let body = try await transport.get(#require(URL(string: "http://target.invalid/a?b"))).body
    #expect(
      String(decoding: try await body.all(), as: UTF8.self)
        == "GET http://target.invalid/a?b HTTP/1.1 Basic YWRhOnMzY3JldA==")
    #expect(
      body.summary.metrics?.proxy == "http://127.0.0.1:\(server.port)")
    #expect(try await transport.whole(server.url("/past")).text == "GET /past HTTP/1.1")
  }

  @Test(
    "An https URL uses a tunnel, the proxy's answer is kept, and the server sees no part",
    .enabled(if: OpenSSL.system != nil))
  func tunnel() async throws {
    let server = try RawServer.secure { connection in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let proxy = TunnelProxy(refusing: Self.asking)
    let transport = try Self.transport(.all(Self.proxy(proxy.url(), "s3cret")))
    var responses: [HTTPResponse?] = []
    for _ in 0..<2 {
      let body = try await transport.get(server.url("/x")).body
      #expect(try await body.all() == Data("ok".utf8))
      #expect(body.summary.metrics?.proxy == proxy.url())
      responses.append(body.summary.metrics?.proxyResponse)
    }
    let answer = HTTPResponse(status: 200, headers: ["Via": "1.1 tests"])
    #expect(responses == [answer, nil])
    #expect(proxy.requests.count == 1 && proxy.requests[0][0] == "CONNECT 127.0.0.1:\(server.port) HTTP/1.1")
    #expect(
      server.requests.map { $0.lines.filter { $0.hasPrefix("Proxy-") || $0.hasPrefix("Via") } } == [[], []])
  }

  @Test(
    "The first byte is the server's, not the proxy's", .enabled(if: OpenSSL.system != nil))
  func firstByte() async throws {
    let server = try RawServer.secure { connection in
      _ = connection.readRequest()
      connection.waitForClose()
    }
    let tunnel = TunnelProxy()
    let transport = try Self.transport(.all(Self.proxy(tunnel.url())))
    var limits = TransferLimits()
    limits.firstByteTimeout = .milliseconds(100)
    let request = TransportRequest(
      HTTPRequest(url: server.url("/x")), timeout: .seconds(3), limits: limits)
    let error = await #expect(throws: TransportError.self) { try await transport.send(request).body.all() }
    #expect(error?.kind == .timedOut && error?.passedLimit == .firstByte)
    #expect(tunnel.requests.count == 1)
  }

  /// A password, and the words in the error.
  static let passwords: [(String?, String)] = [
    (nil, "asks for credentials"), ("wrong", "refuses the credentials"),
  ]

  @Test("A refusing proxy gets one request, and the error has its challenge", arguments: passwords)
  func refused(_ row: (password: String?, said: String)) async throws {
    let proxy = TunnelProxy(refusing: Self.asking)
    let agent = RequestAgent(
      baseURL: "https://target.invalid",
      transport: try Self.transport(.all(Self.proxy(proxy.url(), row.password))),
      configuration: {
        var configuration = AgentConfiguration()
        configuration.retryPolicy = .upTo(3)
        return configuration
      }())
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.kind == .authentication && error.attempts == 1)
    #expect(error.reason.hasPrefix("the proxy \(proxy.url()) \(row.said) (407)"), "\(error.reason)")
    #expect(error.proxyResponse?.status == 407 && error.response == nil)
    #expect(error.hint == "Set the credentials of the Proxy in ConnectionSettings.proxies.")
    #expect(error.challenges.map { "\($0.scheme) \($0.realm ?? "")" } == ["Basic office"])
    #expect(proxy.requests.count == 1)
    var printed = "\(error) \(try #require(error.report))"
    dump(error, to: &printed)
    #expect(!printed.contains("wrong") && !printed.contains(Data("ada:wrong".utf8).base64EncodedString()))
  }

  @Test(
    "A proxy that refuses an http URL is reported like a proxy that refuses a tunnel", arguments: passwords)
  func plainRefused(_ row: (password: String?, said: String)) async throws {
    let proxy = TunnelProxy(refusing: Self.asking)
    let agent = RequestAgent(
      baseURL: "http://target.invalid",
      transport: try Self.transport(.all(Self.proxy(proxy.url(), row.password))))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(
      error.kind == .authentication && error.reason.hasPrefix("the proxy \(proxy.url()) \(row.said) (407)"))
    #expect(error.proxyResponse?.status == 407 && error.challenges.map(\.realm) == ["office"])
    #expect(proxy.requests.count == 1)
  }

  @Test("Credentials echoed by a proxy are in no printed response", arguments: ["http", "https"])
  func echo(_ scheme: String) async throws {
    let pair = Data("ada:s3cret".utf8).base64EncodedString()
    let proxy = TunnelProxy { _ in
      "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"you sent \(pair)\"\r\nX-Echo: ada:s3cret\r\nContent-Length: 0\r\n\r\n"
    }
    let agent = RequestAgent(
      baseURL: "\(scheme)://target.invalid",
      transport: try Self.transport(.all(Self.proxy(proxy.url(), "s3cret"))))
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    let answer = try #require(error.proxyResponse)
    #expect(answer.headers["X-Echo"] == "ada:s3cret")
    #expect("\(try #require(error.challenges.first))" == "Basic, realm \"you sent <redacted>\"")
    var printed = "\(error) \(answer) \(error.challenges)"
    for value in [error, answer, error.challenges] as [Any] { dump(value, to: &printed) }
    for secret in ["s3cret", pair] { #expect(!printed.contains(secret), "\(printed)") }
  }

  @Test("A proxy that challenges endlessly with new nonces gets a few requests")
  func endless() async throws {
    let proxy = TunnelProxy { _ in
      "HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm=\"o\", nonce=\"\(UUID())\", stale=true, qop=\"auth\"\r\nContent-Length: 0\r\n\r\n"
    }
    var stated = try Self.proxy(proxy.url(), "s3cret")
    stated.authentication = .digest
    let transport = try Self.transport(.all(stated))
    let error = await transport.failure(try #require(URL(string: "https://target.invalid/")))
    #expect(error?.kind == .authentication && error?.proxyResponse?.status == 407)
    #expect(proxy.requests.count == 3, "\(proxy.requests.count)")
  }

  @Test(
    "A server behind a tunnel that challenges like a proxy gets one request",
    arguments: [HTTPMethod.get, .put])
  func askingServer(_ method: HTTPMethod) async throws {
    let origin = RawServer { connection in
      while connection.readRequest() != nil {
        connection.send(
          "HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm=\"o\", nonce=\"\(UUID())\", stale=true, qop=\"auth\"\r\nContent-Length: 0\r\n\r\n"
        )
      }
    }
    let proxy = TunnelProxy(to: origin.port) { head in
      head.contains { $0.hasPrefix("Proxy-Authorization: Digest ") }
        ? nil
        : "HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm=\"o\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 0\r\n\r\n"
    }
    var stated = try Self.proxy(proxy.url(), "s3cret")
    stated.authentication = .digest
    let transport = try Self.transport(.all(stated))
    let refused = await transport.failure(
      try #require(URL(string: "http://target.invalid/")), headers: ["Proxy-Authorization": "Basic x"])
    #expect(refused?.kind == .invalidRequest && proxy.requests.isEmpty)
    let agent = RequestAgent(baseURL: "http://target.invalid", transport: transport)
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(
        OneOffRequest<HTTPResponse>(
          "a", method: method, body: method == .put ? .text("b") : .none, response: .response))
    }
    #expect(
      error.kind == .invalidResponse
        && error.reason == "the server answered 407, a status that only a proxy may send")
    #expect(origin.requests.count == 1)
  }

  @Test("Requests to this machine use no remote proxy")
  func loopback() async throws {
    let transport = try Self.transport(.all(Self.proxy("http://proxy.invalid:3128", "s3cret")))
    #expect(try await transport.whole(server.url("/past")).text == "GET /past HTTP/1.1")
  }

  @Test("A Digest challenge of a proxy is answered, also for http URLs through a tunnel")
  func digest() async throws {
    let proxy = TunnelProxy(to: server.port) { head in
      head.contains { $0.hasPrefix("Proxy-Authorization: Digest username=\"ada\"") }
        ? nil
        : "HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm=\"o\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256\r\nContent-Length: 0\r\n\r\n"
    }
    var stated = try Self.proxy(proxy.url(), "s3cret")
    stated.authentication = .digest
    let transport = try Self.transport(.all(stated))
    let posted = try await transport.whole(
      #require(URL(string: "http://target.invalid/a")), .post, body: .data(patternedBytes(100_000)))
    #expect(posted.text == "POST /a HTTP/1.1")
    #expect(server.requests.map(\.body.count) == [100_000])
    #expect(proxy.requests.map { $0[0] } == Array(repeating: "CONNECT target.invalid:80 HTTP/1.1", count: 2))
    #expect(!proxy.requests.description.contains("s3cret"))
  }

  @Test(
    "A proxy over TLS must be trusted by the same authorities, or is not used",
    .enabled(if: OpenSSL.system != nil))
  func secureProxy() async throws {
    let proxy = try RawServer.secure { connection in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nvia")
      }
    }
    let url = try #require(URL(string: "http://target.invalid/"))
    let stated = try Self.proxy("https://127.0.0.1:\(proxy.port)", "s3cret")
    #expect(try await Self.transport(.all(stated)).whole(url).text == "via")
    var settings = ConnectionSettings()
    settings.proxies = .all(stated)
    let error = try await CurlTransport(settings).failure(url)
    #expect(error?.kind == .secureConnectionFailed && proxy.requests.count == 1)
  }

  @Test("An invalid proxy in the environment is an error, and never ignored")
  func unusable() async throws {
    let output = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      [
        "-u", "https_proxy", "HTTPS_PROXY=gopher://p:1", CurlEnvironmentTests.quickstart,
        "https://target.invalid/",
      ]
    ).1
    #expect(output.contains("the environment variable HTTPS_PROXY does not name a valid proxy"), "\(output)")
  }

  @Test("Proxy credentials in the headers are refused if the server would receive them")
  func header() async throws {
    let transport = CurlTransport()
    let error = await transport.failure(
      try #require(URL(string: "https://127.0.0.1:1/")), headers: ["Proxy-Authorization": "Basic x"])
    #expect(
      error
        == TransportError(
          .invalidRequest,
          "the header Proxy-Authorization would be sent to the server: set the credentials in the Proxy"
        ))
    #expect(
      try await transport.whole(server.url("/x"), headers: ["Proxy-Authorization": "Basic x"]).text
        == "GET /x HTTP/1.1 Basic x")
  }

  /// RFC 1928; all connections lead to the server.
  private func socks(_ password: String?) -> (port: UInt16, asked: @Sendable () -> [String]) {
    let asked = Locked<[String]>([])
    let descriptor = LoopbackSocket.listening()
    Thread.detachNewThread {
      while case let client = accept(descriptor, nil, nil), client >= 0 {
        let hello = LoopbackSocket.receive(from: client)
        let method: UInt8 = password == nil ? 0 : hello.dropFirst(2).contains(2) ? 2 : 0xff
        _ = [5, method].withUnsafeBytes { LoopbackSocket.send($0, to: client) }
        if method == 2 {
          let login = LoopbackSocket.receive(from: client)
          let isRight =
            login == [1, 3] + Array("ada".utf8) + [UInt8(password?.utf8.count ?? 0)]
            + Array((password ?? "").utf8)
          _ = [UInt8]([1, isRight ? 0 : 1]).withUnsafeBytes { LoopbackSocket.send($0, to: client) }
        }
        let ask = LoopbackSocket.receive(from: client)
        guard ask.count > 4 else { LoopbackSocket.close(client); continue }
        asked.withLock {
          $0.append(ask[3] == 3 ? String(decoding: ask[5..<5 + Int(ask[4])], as: UTF8.self) : "address")
        }
        _ = [UInt8]([5, 0, 0, 1, 127, 0, 0, 1, 0, 80]).withUnsafeBytes { LoopbackSocket.send($0, to: client) }
        let head = LoopbackSocket.receive(from: client)
        let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self)
        let text = "HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\nConnection: close\r\n\r\n\(line)"
        _ = Array(text.utf8).withUnsafeBytes { LoopbackSocket.send($0, to: client) }
        LoopbackSocket.close(client)
      }
    }
    return (LoopbackSocket.port(of: descriptor), { asked.withLock { $0 } })
  }

  @Test("SOCKS 5 works with local and remote name lookup, with and without a password")
  func socks5() async throws {
    let open = socks(nil)
    let far = try Self.transport(.all(Self.proxy("socks5h://127.0.0.1:\(open.port)")))
    #expect(try await far.whole(#require(URL(string: "http://target.invalid/a"))).text == "GET /a HTTP/1.1")
    let near = try Self.transport(.all(Self.proxy("socks5://127.0.0.1:\(open.port)")))
    #expect(try await near.whole(#require(URL(string: "http://localhost/b"))).text == "GET /b HTTP/1.1")
    #expect(open.asked() == ["target.invalid", "address"])

    let closed = socks("s3cret")
    let url = try #require(URL(string: "http://target.invalid/c"))
    let right = try Self.transport(.all(Self.proxy("socks5h://127.0.0.1:\(closed.port)", "s3cret")))
    #expect(try await right.whole(url).text == "GET /c HTTP/1.1")
    let wrong = try Self.transport(.all(Self.proxy("socks5h://127.0.0.1:\(closed.port)", "wrong")))
    let refused = await wrong.failure(url)
    #expect(
      refused?.kind == .authentication && refused?.message == "the proxy refuses the credentials",
      "\(String(describing: refused))")
    let none = try Self.transport(.all(Self.proxy("socks5h://127.0.0.1:\(closed.port)")))
    let asking = await none.failure(url)
    #expect(
      asking?.kind == .authentication && asking?.message == "the proxy asks for credentials",
      "\(String(describing: asking))")
  }
}
#endif
