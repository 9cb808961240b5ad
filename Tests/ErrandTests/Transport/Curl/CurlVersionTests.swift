#if os(Linux)
import CCurl
import Foundation
import Testing

@testable import Errand

@Suite("Curl: chosen HTTP versions", .timeLimit(.minutes(5)))
struct CurlVersionTests {
  private static func transport(_ version: ConnectionSettings.HTTPVersion) throws -> CurlTransport {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = TLSIdentity.certificate
    settings.httpVersion = version
    return try CurlTransport(settings, eventLoops: 1)
  }

  private static func metrics(
    _ transport: CurlTransport, _ url: URL, _ method: HTTPMethod = .get, body: RequestBody = .none
  ) async throws -> TransportSummary.Metrics {
    let request = HTTPRequest(url: url, method: method, body: body)
    let response = try await transport.send(TransportRequest(request, timeout: .seconds(60)))
    _ = try await response.body.all()
    return try #require(response.body.summary.metrics)
  }

  @Test("The capabilities name the chosen versions")
  func capabilities() throws {
    #expect(try Self.transport(.automatic).capabilities == .curl)
    #expect(try Self.transport(.http1).capabilities.httpVersions == ["HTTP/1.1"])
    guard CurlLibrary.speaksHTTP2 else {
      let error = #expect(throws: TransportError.self) { try Self.transport(.http2) }
      #expect(error?.kind == .unsupported)
      #expect(error?.message.hasSuffix(": use libcurl 8.3 or newer, built with HTTP/2") == true)
      return
    }
    #expect(try Self.transport(.http2).capabilities.httpVersions == ["HTTP/2"])
    #expect(try !Self.transport(.http2).capabilities.sendsTrailers)
  }

  @Test("With HTTP/1.1 only, no TLS server is asked for HTTP/2", .enabled(if: OpenSSL.system != nil))
  func http1() async throws {
    // With an agreement on h2, the server would fail.
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      while connection.readRequest() != nil { connection.send("HTTP/1.1 204 No\r\n\r\n") }
    }
    let transport = try Self.transport(.http1)
    #expect(try await Self.metrics(transport, server.url()).httpVersion == "HTTP/1.1")
    #expect(try await Self.metrics(transport, server.url()).isConnectionReused)
    #expect(server.requests.count == 2)
  }
}

@Suite(
  "Curl: HTTP/2 by prior knowledge", .timeLimit(.minutes(5)), .enabled(if: CurlLibrary.speaksHTTP2))
struct CurlHTTP2CleartextTests {
  private static func transport(_ change: (inout ConnectionSettings) -> Void = { _ in }) throws
    -> CurlTransport
  {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = TLSIdentity.certificate
    settings.httpVersion = .http2
    change(&settings)
    return try CurlTransport(settings, eventLoops: 1)
  }

  /// Creates a server for HTTP/2 without TLS.
  private static func server(
    _ answer: @escaping @Sendable (RawConnection, UInt32) -> Void,
    ended: @escaping @Sendable (RawConnection, UInt32) -> Void = { _, _ in }
  ) -> RawServer {
    RawServer { connection in
      connection.serveHTTP2 {
        answer(connection, $0)
      } ended: {
        ended(connection, $0)
      }
    }
  }

  private static func metrics(
    _ transport: CurlTransport, _ url: URL, _ method: HTTPMethod = .get, body: RequestBody = .none
  ) async throws -> TransportSummary.Metrics {
    let request = HTTPRequest(url: url, method: method, body: body)
    let response = try await transport.send(TransportRequest(request, timeout: .seconds(60)))
    _ = try await response.body.all()
    return try #require(response.body.summary.metrics)
  }

  @Test("100 concurrent requests to an http URL share a connection over HTTP/2")
  func shared() async throws {
    let server = Self.server { connection, stream in
      for frame in HTTP2Frame.response(to: stream, body: "of \(stream)") { connection.send(frame) }
    }
    let transport = try Self.transport()
    let found = try await withThrowingTaskGroup(of: TransportSummary.Metrics.self) { group in
      for _ in 0..<100 { group.addTask { try await Self.metrics(transport, server.url()) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(found.map(\.httpVersion)) == ["HTTP/2"])
    #expect(found.filter { !$0.isConnectionReused }.count == 1)
    #expect(server.connectionCount == 1)
  }

  @Test("A body is sent, and a stream without an end is a truncated body")
  func bodies() async throws {
    let server = Self.server { connection, stream in
      if stream == 3 {
        for frame in HTTP2Frame.response(to: 3, body: "half", isWhole: false) { connection.send(frame) }
        connection.send(.reset(3, code: 0))
      }
    } ended: { connection, stream in
      connection.send(.answer(to: stream))
    }
    let transport = try Self.transport()
    #expect(
      try await Self.metrics(transport, server.url(), .put, body: .text("hello")).httpVersion == "HTTP/2")
    let cut = await transport.failure(server.url())
    #expect(cut?.kind == .connectionLost, "\(String(describing: cut))")
    #expect(try await Self.metrics(transport, server.url(), .put, body: .text("hello")).isConnectionReused)
  }

  @Test("A refused stream of a POST is sent again")
  func refused() async throws {
    let server = Self.server { connection, stream in
      connection.send(connection.number == 1 && stream == 3 ? .reset(3, code: 7) : .answer(to: stream))
    }
    let transport = try Self.transport()
    _ = try await Self.metrics(transport, server.url())
    #expect(try await Self.metrics(transport, server.url(), .post).resends == 1)
  }

  @Test("After a timeout on a silent connection, the next request uses a new connection")
  func silent() async throws {
    let server = Self.server { connection, stream in
      if connection.number > 1 { connection.send(.answer(to: stream)) }
    }
    let transport = try Self.transport()
    #expect(await transport.failure(server.url(), timeout: .milliseconds(300))?.kind == .timedOut)
    #expect(try await Self.metrics(transport, server.url()).httpVersion == "HTTP/2")
    #expect(server.connectionCount == 2)
  }

  @Test("A server of HTTP/1.1 gets no request that another protocol could misread")
  func http1Server() async throws {
    let server = RawServer { connection in
      guard let line = connection.readLine() else { return }
      connection.note(line)
      connection.send("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    let error = await (try Self.transport()).failure(server.url())
    #expect(error != nil)
    await server.wait(for: "PRI * HTTP/2.0")
  }

  @Test("An https server without HTTP/2 gets no request", .enabled(if: OpenSSL.system != nil))
  func withoutAgreement() async throws {
    for alpn in ["http/1.1", nil] {
      let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: alpn)) { connection in
        while connection.readRequest() != nil { connection.send("HTTP/1.1 204 No\r\n\r\n") }
      }
      let error = await (try Self.transport()).failure(server.url())
      #expect(error?.kind == .unsupported, "\(String(describing: error))")
      #expect(
        error?.message
          == "127.0.0.1:\(server.port) does not agree on HTTP/2, and ConnectionSettings.httpVersion allows only HTTP/2"
      )
      #expect(server.requests.isEmpty)
    }
  }

  @Test("An https server with HTTP/2 is used", .enabled(if: OpenSSL.system != nil))
  func agreed() async throws {
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2 {
        connection.send(.answer(to: $0))
      } ended: { _ in
      }
    }
    #expect(try await Self.metrics(Self.transport(), server.url()).httpVersion == "HTTP/2")
  }

  @Test("A destination and a limit of uses apply to HTTP/2 without TLS")
  func uses() async throws {
    let server = Self.server { connection, stream in connection.send(.answer(to: stream)) }
    let transport = try Self.transport {
      $0.routes["api.invalid"] = .destination("127.0.0.1", port: Int(server.port))
      $0.pool.maximumUses = 2
    }
    let url = try #require(URL(string: "http://api.invalid/"))
    for _ in 0..<6 { #expect(try await Self.metrics(transport, url).httpVersion == "HTTP/2") }
    #expect(server.connectionCount == 3)
  }

  @Test("Trailers are refused, because libcurl would drop the trailers")
  func trailers() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    var request = HTTPRequest(url: url, method: .put, body: .text("a"))
    request.trailers = ["X-Sum": "1"]
    let sent = request
    let error = try await #require(throws: TransportError.self) {
      try await Self.transport().send(TransportRequest(sent))
    }
    #expect(
      error
        == TransportError(
          .unsupported,
          "libcurl sends no trailers over HTTP/2, and ConnectionSettings.httpVersion allows only HTTP/2"))
  }
}
#endif
