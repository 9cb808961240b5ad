#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// Requests to an https host wait for the host's first connection, which may carry several requests.
@Suite("Curl: waiting for a connection", .timeLimit(.minutes(5)))
struct CurlWaitingTests {
  let transport = CurlTransport()
  /// Accepts connections, and never answers in TLS.
  let silent = RawServer { connection in
    connection.note("\(connection.number)")
    connection.waitForClose()
  }

  private func secure(_ server: RawServer) -> URL { URL(string: "https://127.0.0.1:\(server.port)/")! }

  @Test("if the first request is cancelled, the next request connects")
  func cancelled() async throws {
    let url = secure(silent)
    let signals = (0..<10).map { _ in CancellationSignal() }
    let failures = await withTaskGroup(of: TransportError?.self) { group in
      group.addTask { [transport] in await transport.failure(url, cancellation: signals[0]) }
      await silent.wait(for: "1")
      for signal in signals.dropFirst() {
        group.addTask { [transport] in await transport.failure(url, cancellation: signal) }
      }
      signals[0].cancel()
      await silent.wait(for: "2")
      for signal in signals { signal.cancel() }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures == Array(repeating: .cancelled, count: 10))
  }

  @Test("each request fails by its own limit for the connection")
  func timedOut() async {
    let url = secure(silent)
    let failures = await withTaskGroup(of: String.self) { group in
      for _ in 0..<10 {
        group.addTask { [transport] in
          var limits = TransferLimits()
          limits.connectTimeout = .milliseconds(100)
          do {
            _ = try await transport.send(TransportRequest(HTTPRequest(url: url), limits: limits))
            return "success"
          } catch {
            return "\(error)"
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(failures) == ["no connection was established within limits.connectTimeout, 0.1 s"])
  }

  @Test("if no server listens, all requests are refused")
  func refused() async throws {
    let url = try #require(URL(string: "https://127.0.0.1:\(LoopbackSocket.refusingPort())/"))
    let failures = await withTaskGroup(of: TransportError?.self) { group in
      for _ in 0..<50 { group.addTask { [transport] in await transport.failure(url) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let text = "the connection to 127.0.0.1:\(url.port ?? 0) was refused"
    #expect(failures == Array(repeating: TransportError(.connectionFailed, text, code: 7), count: 50))
  }

  @Test("if the server has no TLS, all requests fail")
  func noTLS() async {
    let server = RawServer { connection in connection.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
    let url = secure(server)
    let kinds = await withTaskGroup(of: RequestError.Kind?.self) { group in
      for _ in 0..<20 { group.addTask { [transport] in await transport.failure(url)?.kind } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(kinds.count == 20)
    #expect(Set(kinds) == [.secureConnectionFailed])
  }
}
#endif
