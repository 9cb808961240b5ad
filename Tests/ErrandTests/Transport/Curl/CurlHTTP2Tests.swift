#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite(
  "Curl: unresponsive HTTP/2 connections", .timeLimit(.minutes(5)),
  .enabled(if: OpenSSL.system != nil && CurlTransport().capabilities.httpVersions.contains("HTTP/2")))
struct CurlHTTP2Tests {
  let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)

  /// Connections after the first answer normally.
  private func server(
    _ settings: HTTP2Frame = .settings(), first: @escaping @Sendable (RawConnection, UInt32) -> Void,
    ended: @escaping @Sendable (RawConnection, UInt32) -> Void = { _, _ in }
  ) throws -> RawServer {
    try .secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2(connection.number == 1 ? settings : .settings()) { stream in
        connection.note("\(stream) on \(connection.number)")
        if connection.number == 1 { first(connection, stream) } else { connection.send(.answer(to: stream)) }
      } ended: { stream in
        ended(connection, stream)
      }
      connection.note("end of \(connection.number)")
    }
  }

  private func metrics(_ url: URL, _ method: HTTPMethod = .get) async throws -> TransportSummary.Metrics? {
    let response = try await transport.send(
      TransportRequest(HTTPRequest(url: url, method: method), timeout: .seconds(20)))
    #expect(try await response.body.all() == Data())
    return response.body.summary.metrics
  }

  private static let silent = TransportError(.timedOut, "no byte was sent or received for 0.3 s")

  @Test("after a timeout on an unresponsive connection the next request uses a new connection")
  func deaf() async throws {
    let server = try server { connection, stream in
      if stream == 1 { connection.send(.answer(to: stream)) }
    }
    _ = try await metrics(server.url())
    #expect(await transport.failure(server.url(), timeout: .milliseconds(300)) == Self.silent)
    #expect(try await metrics(server.url())?.isConnectionReused == false)
    #expect(try await metrics(server.url())?.isConnectionReused == true)
    #expect(server.connectionCount == 2)
  }

  @Test("a connection that has never answered also counts as unresponsive")
  func deafFromTheStart() async throws {
    let server = try server { _, _ in }
    #expect(await transport.failure(server.url(), timeout: .milliseconds(300)) == Self.silent)
    #expect(try await metrics(server.url())?.httpVersion == "HTTP/2")
    #expect(server.connectionCount == 2)
  }

  @Test("a request on an unresponsive connection is left alone, and gets its response")
  func patient() async throws {
    let server = try server { connection, stream in
      if stream == 1 { connection.send(.answer(to: stream)) }
    } ended: { connection, stream in
      connection.send(.answer(to: stream))
    }
    _ = try await metrics(server.url())
    let (stream, giving) = AsyncStream<Data>.makeStream()
    let upload = HTTPRequest(url: server.url(), method: .put, body: .stream(stream, length: nil))
    async let patient = transport.send(TransportRequest(upload, timeout: .seconds(60)))
    await server.wait(for: "3 on 1")
    #expect(await transport.failure(server.url(), timeout: .milliseconds(300)) == Self.silent)
    #expect(try await metrics(server.url())?.isConnectionReused == false)
    giving.yield(Data("the rest".utf8))
    giving.finish()
    #expect(try await patient.head.status == 200)
    #expect(try await metrics(server.url())?.isConnectionReused == true)
    #expect(server.connectionCount == 2)
  }

  @Test("a body sent in small windows makes progress")
  func smallWindow() async throws {
    let window = 8_192
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2(.settings(window: UInt32(window))) { _ in
      } received: { frame in
        // The whole upload takes longer than the timeout.
        Thread.sleep(forTimeInterval: 1.5)
        connection.send(.windowUpdate(frame.stream, by: window))
      } ended: { stream in
        connection.send(.answer(to: stream))
      }
    }
    let whole = try await transport.whole(
      server.url(), .put, body: .data(patternedBytes(5 * window)), timeout: .seconds(5))
    #expect(whole.status == 200)
  }

  @Test(
    "Requests do not wait for the first response of an HTTP/1.1 server, with and without ALPN",
    arguments: ["http/1.1", nil])
  func alone(alpn: String?) async throws {
    let (count, arrived, areAllThere) = (12, Locked(0), DispatchSemaphore(value: 0))
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: alpn)) { connection in
      while connection.readRequest() != nil {
        let isLast = arrived.withLock { arrived in
          arrived += 1
          return arrived == count
        }
        // No request is answered before all requests have arrived.
        if isLast { for _ in 1..<count { areAllThere.signal() } } else { areAllThere.wait() }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate, eventLoops: 1)
    // In the second round the transport knows the server.
    for round in 1...2 {
      arrived.withLock { $0 = 0 }
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<count { group.addTask { try await transport.whole(server.url()).text } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(texts == Array(repeating: "ok", count: count))
      if round == 1 { #expect(server.connectionCount == count) }
    }
  }

  @Test("a connection without free streams is abandoned after a timeout, or at once")
  func noStreams() async throws {
    let server = try server(.settings(concurrentStreams: 0)) { connection, stream in
      connection.send(.answer(to: stream))
    }
    // The first request of a connection is sent before the settings arrive.
    _ = try await metrics(server.url())
    // Newer versions of libcurl open another connection instead of waiting for a stream.
    let failure = await transport.failure(server.url(), timeout: .milliseconds(300))
    #expect(failure == nil || failure == Self.silent)
    #expect(try await metrics(server.url())?.isConnectionReused == (failure == nil))
    #expect(server.connectionCount == 2)
  }

  @Test(
    "a refused stream is sent again on another connection, including a POST",
    arguments: [HTTPMethod.get, .post])
  func refused(_ method: HTTPMethod) async throws {
    let server = try server { connection, stream in
      connection.send(stream == 1 ? .answer(to: 1) : .reset(stream, code: 7))
    }
    _ = try await metrics(server.url())
    #expect(try await metrics(server.url(), method)?.resends == 1)
    #expect(server.connectionCount == 2)
  }

  @Test(
    "requests rejected by GOAWAY are sent again on another connection, including a POST",
    arguments: [HTTPMethod.get, .post])
  func goodbye(_ method: HTTPMethod) async throws {
    let server = try server { connection, stream in
      connection.send(stream == 1 ? .answer(to: 1) : .goAway(last: 1))
      if stream > 1 { connection.close() }
    }
    _ = try await metrics(server.url())
    #expect(try await metrics(server.url(), method)?.resends == 1)
    #expect(server.connectionCount == 2)
  }

  @Test(
    "a POST whose stream was reset with another code, or lost with its connection, is not sent again",
    arguments: [true, false])
  func lost(isReset: Bool) async throws {
    let seen = Locked(0)
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2 { stream in
        seen.withLock { $0 += 1 }
        if stream == 1 { return connection.send(.answer(to: 1)) }
        if isReset { connection.send(.reset(stream, code: 8)) } else { connection.reset() }
      } ended: { _ in
      }
    }
    _ = try await metrics(server.url())
    #expect(await transport.failure(server.url(), .post)?.kind == .connectionLost)
    #expect(seen.withLock { $0 } == 2)
  }

  @Test("frames on an idle connection do not close the connection")
  func idleFrames() async throws {
    let server = try server { connection, stream in
      connection.send(.answer(to: stream))
      connection.send(HTTP2Frame(kind: .ping, payload: Array(repeating: 0, count: 8)))
      connection.note("pinged")
    }
    for _ in 0..<20 {
      _ = try await metrics(server.url())
      await server.wait(for: "pinged")
    }
    #expect(server.connectionCount == 1)
  }
}
#endif
