#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: settings from the environment")
struct CurlEnvironmentTests {
  static let quickstart = Compiler.products.appendingPathComponent("Quickstart").path

  @Test(
    "Quickstart works if the environment names an unreachable proxy",
    arguments: ["http_proxy", "ALL_PROXY"])
  func quickstart(_ name: String) throws {
    let (status, output) = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), ["\(name)=http://127.0.0.1:1", Self.quickstart])
    #expect(status == 0, "\(output)")
  }

  /// In a separate process; returns the output.
  private func fetch(_ url: String, _ environment: [String]) throws -> String {
    let free = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
    return try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      free.flatMap { ["-u", $0] } + environment + [Self.quickstart, url]
    ).1
  }

  @Test("The user and the password of a proxy's URL are sent to the proxy, and are printed nowhere")
  func proxyCredentials() throws {
    let proxy = RawServer { connection in
      guard let request = connection.readRequest() else { return }
      let isTunnel = request.line.hasPrefix("CONNECT ")
      connection.send(
        isTunnel
          ? "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
          : "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nvia proxy")
    }
    let address = "http://ada:s3cr%65t@127.0.0.1:\(proxy.port)"
    let plain = try fetch("http://target.invalid/a?b", ["http_proxy=\(address)"])
    #expect(plain.hasSuffix("\n9 bytes\nvia proxy\n"), "\(plain)")
    let tunnel = try fetch("https://target.invalid/a?b", ["https_proxy=\(address)"])
    #expect(tunnel.contains("the proxy refused a tunnel to target.invalid:443 with status 403"), "\(tunnel)")
    #expect(
      proxy.requests.map(\.line) == [
        "GET http://target.invalid/a?b HTTP/1.1", "CONNECT target.invalid:443 HTTP/1.1",
      ])
    #expect(
      proxy.requests.map { $0.value(of: "Proxy-Authorization") }
        == Array(repeating: "Basic YWRhOnMzY3JldA==", count: 2))
    for printed in [plain, tunnel] {
      #expect(!printed.contains("s3cr") && !printed.contains("YWRhOnMzY3JldA"), "\(printed)")
    }
  }

  @Test("A host in no_proxy is contacted directly, without the proxy's credentials")
  func noProxy() throws {
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect")
    // Unlike 127.0.0.1, this local address uses a proxy by default.
    let output = try fetch(
      "http://0.0.0.0:\(server.port)/a", ["http_proxy=http://ada:s3cret@127.0.0.1:1", "no_proxy=0.0.0.0"])
    #expect(output.hasSuffix("\n6 bytes\ndirect\n"), "\(output)")
    #expect(server.requests.map(\.line) == ["GET /a HTTP/1.1"])
    #expect(server.requests.map { $0.value(of: "Proxy-Authorization") } == [nil])
  }

  @Test(
    "The minimum is TLS 1.2 under any OpenSSL configuration", .enabled(if: OpenSSL.system != nil))
  func oldTLS() throws {
    let configuration = FileManager.default.temporaryDirectory
      .appendingPathComponent("errand-\(ProcessInfo.processInfo.processIdentifier)-openssl.cnf")
    defer { try? FileManager.default.removeItem(at: configuration) }
    try Data(
      """
      openssl_conf = all
      [all]
      ssl_conf = tls
      [tls]
      system_default = default
      [default]
      MinProtocol = TLSv1
      CipherString = DEFAULT@SECLEVEL=0

      """.utf8
    ).write(to: configuration)
    let server = try RawServer.secure(offering: TLSChannel.Offer(newest: 0x0302)) { _ in }
    let (status, output) = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["OPENSSL_CONF=\(configuration.path)", Self.quickstart, "https://127.0.0.1:\(server.port)/"])
    #expect(status != 0)
    // If TLS 1.1 is negotiated, the error would name the untrusted certificate instead.
    #expect(output.contains("127.0.0.1:\(server.port) refused the TLS handshake"), "\(output)")
  }
}
#endif
