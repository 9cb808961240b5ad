import Foundation
import Testing

@testable import Errand
@testable import ErrandURLSession

@Suite("Connection settings of sessions")
struct SessionSettingsTests {
  @Test("An unsupported setting is an error at the creation of the transport")
  func unsupported() throws {
    func message(_ change: (inout ConnectionSettings) throws -> Void) rethrows -> String? {
      var settings = ConnectionSettings()
      try change(&settings)
      do throws(TransportError) {
        _ = try URLSessionTransport(settings)
        return nil
      } catch {
        #expect(error.kind == .unsupported)
        return error.message
      }
    }
    func said(_ what: String) -> String { "URLSession does not support \(what): use CurlTransport" }
    let proxy = try #require(Proxy("http://p:1"))
    let file = URL(fileURLWithPath: "/c.pem")
    let pin = try #require(TLSSettings.PublicKeyPin(Data(repeating: 1, count: 32).base64EncodedString()))
    #expect(message { _ in } == nil)
    #expect(message { $0.proxies = .all(proxy) } == said("proxies other than .environment and .none"))
    #expect(message { $0.tls.certificateAuthorities = file } == said("tls.certificateAuthorities"))
    #expect(message { $0.tls.pins = ["a": [pin]] } == said("tls.pins"))
    #expect(message { $0.tls.clientCertificates = ["a": .pem(file)] } == said("tls.clientCertificates"))
    #expect(message { $0.routes = ["a": .destination("b")] } == said("routes"))
    #expect(message { $0.nameServer = file } == said("nameServer"))
    #expect(message { $0.localAddress = "::1" } == said("localAddress"))
    #expect(message { $0.httpVersion = .http1 } == said("httpVersion other than .automatic and .http3"))
    #expect(message { $0.pool.maximumUses = 1 } == said("pool"))
    #if os(Linux)
    func here(_ what: String) -> String {
      "URLSession on this platform does not support \(what): use CurlTransport"
    }
    #expect(message { $0.httpVersion = .http3 } == here("httpVersion of .http3"))
    #expect(message { $0.tls.minimumVersion = .tls13 } == here("tls.minimumVersion"))
    #expect(message { $0.proxies = .none } == here("proxies of .none"))
    #else
    #expect(message { $0.httpVersion = .http3 } == nil)
    #expect(message { $0.tls.minimumVersion = .tls13 } == nil)
    #expect(message { $0.proxies = .none } == nil)
    #endif
  }
}
