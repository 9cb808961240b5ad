#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: what the environment says")
struct CurlEnvironmentTests {
  static let quickstart = Compiler.products.appendingPathComponent("Quickstart").path

  @Test("a URL of this machine goes past its proxies, however it is written")
  func loopback() throws {
    let own = [
      "localhost", "LOCALHOST:80", "app.localhost", "127.0.0.1", "127.8.9.10:8080", "[::1]", "[::1]:80",
    ]
    let others = [
      "localhost.example", "128.0.0.1", "10.0.0.1", "[::2]", "[fe80::1]", "example.com", "127.example",
    ]
    #expect(try own.filter { try !CurlProxies.passesBy(#require(URL(string: "http://\($0)/"))) } == [])
    #expect(try others.filter { try CurlProxies.passesBy(#require(URL(string: "http://\($0)/"))) } == [])
  }

  @Test(
    "Quickstart works where the environment names a proxy that nobody reaches",
    arguments: ["http_proxy", "ALL_PROXY"])
  func quickstart(_ name: String) throws {
    let (status, output) = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), ["\(name)=http://127.0.0.1:1", Self.quickstart])
    #expect(status == 0, "\(output)")
  }

  @Test(
    "TLS is 1.2 at least, whatever the configuration of OpenSSL allows", .enabled(if: OpenSSL.system != nil))
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
    // Where TLS 1.1 is agreed on, the certificate is looked at, which nobody trusts.
    #expect(output.contains("127.0.0.1:\(server.port) refused TLS"), "\(output)")
  }
}
#endif
