#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite("Curl: advice about a wrong scheme", .timeLimit(.minutes(5)))
struct SchemeAdviceTests {
  private func hint(_ url: URL) async throws -> (kind: RequestError.Kind, hint: String?) {
    let error = try await #require(throws: RequestError.self) {
      try await RequestAgent(transport: CurlTransport()).send(.get(url.absoluteString))
    }
    return (error.kind, error.hint)
  }

  private static let secure =
    "The server does not use plain HTTP on this port, but probably TLS. Change the scheme to https, or use the server's http port."
  private static let closed =
    "Check the scheme first: a server without TLS ends the handshake by closing the connection. Change the scheme to http, "
    + "or use the server's https port. If the server does use TLS, the server and the system share no TLS version."

  @Test("https to a server that answers in HTTP, or closes the connection at the handshake, gives the advice")
  func securely() async throws {
    let talking = RawServer { connection in
      connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      _ = connection.readRequest()
    }
    let url = try #require(URL(string: "https://127.0.0.1:\(talking.port)/"))
    let answered = try await hint(url)
    #expect(answered.kind == .secureConnectionFailed)
    #expect(
      answered.hint
        == "The server does not use TLS on this port. Change the scheme to http, or use the server's https port."
    )
    let closing = RawServer { connection in connection.close() }
    let other = try #require(URL(string: "https://127.0.0.1:\(closing.port)/"))
    let silent = try await hint(other)
    #expect(silent.kind == .secureConnectionFailed && silent.hint == Self.closed, "\(silent)")
  }

  @Test("http to a server that answers with a TLS record, such as an alert, gives the advice")
  func plainly() async throws {
    // A handshake_failure alert with the version of TLS 1.2 (RFC 5246 section 7.2).
    let server = RawServer { connection in
      _ = connection.readRequest()
      connection.send(Data([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]))
    }
    let found = try await hint(server.url())
    #expect(found.kind == .invalidResponse && found.hint == Self.secure, "\(found)")
  }
}
#endif
