#if os(Linux)
import CLookups
import Foundation
import Testing

@testable import Errand

/// Serialized, because a release ends the waits of all lookups.
@Suite("Curl: slow name lookups", .serialized, .timeLimit(.minutes(5)))
struct CurlLookupTests {
  @Test("A transfer that ends during its name lookup ends at once, and blocks no other transfer")
  func cancelled() async throws {
    clookups_hold()
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

  @Test("A lookup that is cancelled has a start and no end")
  func steps() async throws {
    clookups_hold()
    defer { clookups_release() }
    let (steps, signal) = (Locked<[TransportSummary.ConnectionStep]>([]), CancellationSignal())
    let url = try #require(URL(string: "http://held.errand.test/"))
    var request = TransportRequest(HTTPRequest(url: url), timeout: .seconds(60), cancellation: signal)
    request.connectionStep = { step, _ in steps.withLock { $0.append(step) } }
    let sent = request
    let task = Task { try await CurlTransport().send(sent) }
    await until { !steps.withLock { $0 }.isEmpty }
    signal.cancel()
    await #expect(throws: TransportError.cancelled) { try await task.value }
    #expect(steps.withLock { $0 } == [.lookupStarted])
  }
}
#endif
