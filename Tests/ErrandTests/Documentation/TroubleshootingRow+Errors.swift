#if os(Linux)
import CCurl
import ErrandMocks
import Foundation

@testable import Errand

extension TroubleshootingRow {
  private struct AppError: Error {}

  private struct Failing: Request {
    typealias Response = Void
    let path = "users/7"

    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) throws { throw AppError() }
  }

  private struct GetUser: Request {
    typealias Response = String
    let path = "users/7"
    let tag = "a"
  }

  private static let user = OneOffRequest.get("users/7", as: Person.self)

  private static func mocked() -> RequestAgent { .mocked(Stub(nil, "*", answers: .status(200))) }

  private static func signing(_ authenticator: BearerAuthenticator) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.authenticator = authenticator
    return .mocked(by: MockTransport { _ in .status(200) }, configuration: configuration)
  }

  static let beforeSending = [
    failure(#"there is no base URL for the path "users/7""#, user) { RequestAgent() },
    failure(#"the base URL "api.example.com" has no scheme: begin the URL with https://"#, user) {
      RequestAgent(baseURL: "api.example.com")
    },
    failure(
      #"the path "users/<empty>" has a segment made of an empty value"#,
      OneOffRequest.get("users/\(segment: "")", as: Person.self), on: mocked),
    failure(
      #"the segment "%2E%2E" of the path "users/%2E%2E" becomes a dot segment when decoded, which changes the path"#,
      OneOffRequest.get("users/\(segment: "..")", as: Person.self), on: mocked),
    failure(
      "the header Content-Length frames the message and cannot be set",
      user.with(\.headers, ["Content-Length": "4"]), on: mocked),
    failure(
      "the value of the header X-Name contains a line break or a NUL",
      user.with(\.headers, ["X-Name": "Ada\n"]), on: mocked),
    failure(
      "usesCDN is set, but neither the request nor the agent has a CDN URL", user.with(\.usesCDN, true),
      on: mocked),
    TroubleshootingRow(message: "the body stream can be sent once, and was sent before") {
      let chunks = AsyncStream<Data> { $0.finish() }
      let upload = OneOffRequest.post("users/7", body: .stream(chunks))
      try await mocked().send(upload)
      return try await failure("", upload, on: mocked).produce()
    },
    failure("filterRequest threw AppError()", Failing(), on: mocked),
    failure("there is no credential, and no refresh that fetches a credential", user) {
      let authenticator = BearerAuthenticator(token: "a")
      authenticator.credential = nil
      return signing(authenticator)
    },
    failure("the credentials could not be renewed: AppError()", user) {
      signing(BearerAuthenticator(nil) { _, _ in throw AppError() })
    },
    TroubleshootingRow(
      message:
        "the request that renews the credentials would wait for its own result: set its authentication to .none",
      isExact: false
    ) {
      try await failure("", user) {
        signing(
          BearerAuthenticator(nil) { _, context in
            _ = try await context.send(user)
            return BearerAuthenticator.Credential(accessToken: "a")
          })
      }.produce()
    },
    failure("the idempotency key is empty", user.with(\.idempotencyKey, .value("")), on: mocked),
    failure(
      "the idempotency key contains a character that cannot be quoted",
      user.with(\.idempotencyKey, .value("Größe").quoted), on: mocked),
    TroubleshootingRow(message: "GetUser has stored properties that Errand ignores", isExact: false) {
      UnusedProperties(of: GetUser()).message ?? ""
    },
  ]

  /// Without a server.
  private static func coded(_ message: String, _ code: CCURLcode) -> TroubleshootingRow {
    TroubleshootingRow(message: message) {
      CurlErrorTable.entry(for: code).clause.replacing("{peer}", with: "api.example.com:443")
    }
  }

  private static func asking(_ change: (inout DestinationPolicy) -> Void) -> RequestAgent {
    var configuration = AgentConfiguration()
    change(&configuration.destinations)
    return RequestAgent(transport: CurlTransport(), configuration: configuration)
  }

  private static func missing(_ names: [String]) -> RequestAgent {
    RequestAgent(
      baseURL: "http://127.0.0.1", transport: CurlTransport(library: CurlLibrary(names)))
  }

  private static func told(_ message: String, _ code: CCURLcode, _ text: String) -> TroubleshootingRow {
    TroubleshootingRow(message: message) {
      let peer = "api.example.com:443"
      let meaning = CurlErrorText(text, peer: peer).meaning(of: code, usesProxies: true)
      return meaning?.entry.clause.replacing("{peer}", with: peer) ?? ""
    }
  }

  static let connecting = [
    TroubleshootingRow(message: "libcurl could not be loaded (", isExact: false) {
      try await failure("", user) { missing(["liberrand-missing.so.4"]) }.produce()
    },
    TroubleshootingRow(message: "libcurl 7.74.0 is too old; Errand needs 7.76 or newer") {
      "7.74.0".withCString { version in
        var info = ccurl_version_info_data()
        (info.version_num, info.version) = (0x07_4A_00, version)
        return CurlLibrary.refusal(of: info)?.message ?? "nothing"
      }
    },
    coded("the host name of api.example.com:443 could not be resolved", CCURLE_COULDNT_RESOLVE_HOST),
    TroubleshootingRow(message: "the connection to 127.0.0.1:8080 was refused") {
      let server = try MockServer()
      server.stop()
      let agent = RequestAgent(baseURL: server.baseURL, transport: CurlTransport())
      return try await failure("", user) { agent }.produce().replacing(":\(server.port)", with: ":8080")
    },
    told(
      "no connection to the proxy proxy.example:3128 could be made", CCURLE_COULDNT_CONNECT,
      "Failed to connect to proxy.example port 3128 after 0 ms: Couldn't connect to server"),
    told(
      "the proxy refused a tunnel to api.example.com:443 with status 403", CCURLE_RECV_ERROR,
      "CONNECT tunnel failed, response 403"),
    TroubleshootingRow(message: "the proxy http://127.0.0.1:3128 asks for credentials (407)") {
      let proxy = TunnelProxy { _ in "HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n" }
      var settings = ConnectionSettings()
      settings.proxies = Proxy(proxy.url()).map { .all($0) } ?? .none
      let transport = try CurlTransport(settings)
      let row = failure("", user) { RequestAgent(baseURL: "https://target.invalid", transport: transport) }
      return try await row.produce().replacing(":\(proxy.port)", with: ":3128")
    },
    failure(
      #"the request to "http://other.example/x" would not be encrypted"#, .get("http://other.example/x"),
      on: mocked),
    failure(
      #"the host of "https://other.example/x" is not in destinations.hosts"#,
      .get("https://other.example/x")
    ) { asking { $0.hosts = ["api.example.com"] } },
    failure(#"the address of "http://10.0.0.1/x" is not public"#, .get("http://10.0.0.1/x")) {
      asking { $0.refusesPrivateAddresses = true }
    },
    coded("the certificate of api.example.com:443 was refused", CCURLE_PEER_FAILED_VERIFICATION),
    secure("127.0.0.1:8080 does not answer with TLS", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
    // The fatal alerts 116 and 40 of RFC 8446 section 6.
    secure("127.0.0.1:8080 asks for a client certificate", [0x15, 3, 3, 0, 2, 2, 116]),
    secure("127.0.0.1:8080 refused the TLS handshake", [0x15, 3, 3, 0, 2, 2, 40]),
    coded("the file of trusted certificates could not be read", CCURLE_SSL_CACERT_BADFILE),
    served("127.0.0.1:8080 did not answer in HTTP", .raw(.send("SSH-2.0-OpenSSH_9.2\r\n"), .close)),
    served("127.0.0.1:8080 closed the connection without an answer", .raw(.close)),
    served(
      "the connection was closed after 5 of the 9 bytes of the body", .text("123456789").cut(.body, after: 5)),
  ]

  private static func breach(after seconds: Int, isConnected: Bool) -> String {
    let request = HTTPRequest(url: URL(string: "https://api.example.com")!)
    var times = TransferTimes(TransportRequest(request), now: 0)
    return "\(times.breach(at: Int64(seconds) * 1_000_000_000) { isConnected ? 0 : nil }?.message ?? "none")"
  }

  static let limits = [
    TroubleshootingRow(message: "no byte was sent or received for 60 s") {
      breach(after: 60, isConnected: true)
    },
    TroubleshootingRow(message: "no connection was established within limits.connectTimeout, 30 s") {
      breach(after: 30, isConnected: false)
    },
    failure("the dispatch took longer than its deadline, 10 s", user.with(\.deadline, .seconds(10))) {
      .mocked(Stub(nil, "*", answers: .text("late").delayed(by: .seconds(20))))
    },
    failure("the body is longer than limits.bodySize, 1000000 bytes", user.with(\.limits, megabyte)) {
      .mocked(Stub(nil, "*", answers: .data(Data(count: 1_000_001))))
    },
    TroubleshootingRow(
      message:
        "the circuit breaker of https://mocked.example is open: 20 of 20 attempts failed; the next attempt "
        + "is allowed in 15 s"
    ) {
      let agent = await failing(20) { $0.circuitBreaker = CircuitBreaker() }
      return try await failure("", user) { agent }.produce()
    },
    TroubleshootingRow(
      message: "the request was not retried, because the retry budget of https://mocked.example is spent",
      isExact: false
    ) {
      let agent = await failing(50) { $0.retryPolicy = .upTo(3, backoff: .constant()) }
      return try await failure("", user) { agent }.produce()
    },
  ]

  /// After `count` failures with status 503.
  private static func failing(
    _ count: Int, _ change: (inout AgentConfiguration) -> Void
  ) async -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(TestClock())
    change(&configuration)
    let agent = RequestAgent.mocked(
      by: MockTransport([Stub(nil, "*", answers: .status(503))]), configuration: configuration)
    for _ in 0..<count { _ = try? await agent.send(user) }
    return agent
  }

  private static let megabyte: TransferLimits = {
    var limits = TransferLimits()
    limits.bodySize = 1_000_000
    return limits
  }()
}
#endif
