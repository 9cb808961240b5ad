#if os(Linux)
import Errand
import Foundation
import Testing

/// Runs against mitmproxy and microsocks, which `.ci/run` starts.
@Suite(
  "Against proxies and a server that requires certificates",
  .enabled(if: Server.proxy != nil && Server.mutualTLS != nil, "set ERRAND_PROXY and its like to run these"),
  .timeLimit(.minutes(5)))
struct ProxyServerTests {
  private struct Echo: Decodable, Sendable {
    var headers: [String: String]
  }

  private static func agent(
    _ base: URL?, by proxy: String?, _ password: String?,
    _ change: (inout ConnectionSettings) -> Void = { _ in }
  ) throws -> RequestAgent {
    var settings = ConnectionSettings()
    let credentials = password.flatMap { BasicCredentials(username: "ada", password: $0) }
    settings.proxies = try proxy.map { .all(try #require(Proxy($0, credentials: credentials))) } ?? .none
    settings.tls.certificateAuthorities = Server.authority
    change(&settings)
    return RequestAgent(baseURL: base, transport: try CurlTransport(settings))
  }

  private static func failure(_ agent: RequestAgent) async -> RequestError? {
    do {
      try await agent.send(.get("get"))
      return nil
    } catch { return error as? RequestError }
  }

  @Test(
    "mitmproxy forwards http and https, the origin gets no proxy credentials, and bodies are complete")
  func forwarded() async throws {
    for base in [Server.httpbin, Server.tls] {
      let agent = try Self.agent(base, by: Server.proxy, "s3cret") {
        $0.tls.certificateAuthorities = Server.proxyAuthority
      }
      for round in 0..<3 {
        let received = try await agent.response(for: .get("headers", as: Echo.self))
        #expect(received.value.headers.keys.filter { $0.lowercased().hasPrefix("proxy-auth") } == [])
        let metrics = try #require(received.report.attempts.last?.metrics)
        #expect(metrics.proxy == Server.proxy && metrics.isConnectionReused == (round > 0))
        let hasTunnel = base == Server.tls && round == 0
        #expect(metrics.proxyResponse?.status == (hasTunnel ? 200 : nil))
      }
      let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      let sent = try await agent.send(.post("post", body: .data(body), as: JSONValue.self))
      let text = try #require(sent["data"].string)
      #expect(text.contains(body.base64EncodedString()) || text.utf8.count >= 300_000)
      #expect(try await agent.send(.get("bytes/100000?seed=1", as: Data.self)).count == 100_000)
    }
  }

  /// A password, and the words in the error.
  static let passwords: [(String?, String)] = [
    (nil, "asks for credentials"), ("wrong", "refuses the credentials"),
  ]

  @Test("mitmproxy refuses requests without the password, with its challenge", arguments: passwords)
  func refused(_ row: (password: String?, said: String)) async throws {
    for base in [Server.httpbin, Server.tls] {
      let error = try #require(await Self.failure(Self.agent(base, by: Server.proxy, row.password)))
      #expect(error.kind == .authentication && error.attempts == 1)
      #expect(error.reason.hasPrefix("the proxy \(Server.proxy ?? "") \(row.said) (407)"), "\(error)")
      #expect(error.proxyResponse?.status == 407)
      #expect(error.challenges.map { $0.scheme } == ["Basic"])
      #expect(!"\(error) \(try #require(error.report))".contains("wrong"))
    }
  }

  @Test("An exception bypasses the proxy, and the proxy's certificate is only trusted explicitly")
  func past() async throws {
    let direct = try Self.agent(Server.httpbin, by: Server.proxy, nil) {
      $0.proxies.exceptions = ["127.0.0.0/8"]
    }
    let report = try await direct.response(for: .get("get")).report
    #expect(report.attempts.last?.metrics?.proxy == nil)
    let error = await Self.failure(try Self.agent(Server.tls, by: Server.proxy, "s3cret"))
    #expect(error?.kind == .secureConnectionFailed, "\(String(describing: error))")
  }

  @Test("Debian's SOCKS 5 proxy works, open and with a password, for http and https")
  func socks() async throws {
    for base in [Server.httpbin, Server.tls] {
      let open = try Self.agent(base, by: Server.socks, nil)
      let received = try await open.response(for: .get("get", as: Echo.self))
      #expect(
        received.report.attempts.last?.metrics?.proxy == (Server.socks ?? "")
      )
      #expect(await Self.failure(try Self.agent(base, by: Server.guardedSocks, "s3cret")) == nil)
      let wrong = await Self.failure(try Self.agent(base, by: Server.guardedSocks, "wrong"))
      #expect(wrong?.kind == .authentication, "\(String(describing: wrong))")
      let none = await Self.failure(try Self.agent(base, by: Server.guardedSocks, nil))
      #expect(none?.kind == .authentication, "\(String(describing: none))")
    }
  }

  @Test("nginx identifies the client by its certificate, in PEM and PKCS #12, and refuses other clients")
  func certificates() async throws {
    let folder = URL(fileURLWithPath: try #require(Server.client)).deletingLastPathComponent()
    func who(_ certificates: [String: TLSSettings.ClientCertificate]) async throws -> String {
      let agent = try Self.agent(Server.mutualTLS, by: nil, nil) { $0.tls.clientCertificates = certificates }
      let request = OneOffRequest.get("who", as: String.self).with(\.validators, [.status(200, 403)])
      return try await agent.send(request)
    }
    let pem = TLSSettings.ClientCertificate.pem(
      folder.appendingPathComponent("client.pem"), key: folder.appendingPathComponent("client.key"),
      passphrase: "s3cret")
    let archive = TLSSettings.ClientCertificate.pkcs12(
      folder.appendingPathComponent("client.p12"), passphrase: "s3cret")
    #expect(try await who(["127.0.0.1": pem]) == "CN=ada")
    #expect(try await who(["127.0.0.1": archive]) == "CN=ada")
    #expect(try await who(["other.example": pem]) == "NONE")
    #expect(try await who([:]) == "NONE")
  }
}
#endif
