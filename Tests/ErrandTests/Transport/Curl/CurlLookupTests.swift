#if os(Linux)
import CLookups
import Foundation
import Testing

@testable import Errand

@Suite("Curl: slow name lookups", .timeLimit(.minutes(5)))
struct CurlLookupTests {
  @Test("A transfer that ends during its name lookup ends at once, and blocks no other transfer")
  func cancelled() async throws {
    defer { clookups_release() }
    let server = RawServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let (transport, signal) = (CurlTransport(), CancellationSignal())
    let url = try #require(URL(string: "http://held.errand.test/"))
    async let cancelled = transport.failure(url, cancellation: signal)
    // Newer versions of libcurl look up each address family separately.
    await until { clookups_waiting() > 0 }
    signal.cancel()
    #expect(await cancelled == .cancelled)
    #expect(await transport.failure(url, timeout: .milliseconds(50))?.kind == .timedOut)
    #expect(try await transport.whole(server.url()).text == "ok")
    #expect(clookups_waiting() > 1)
  }
}
#endif
