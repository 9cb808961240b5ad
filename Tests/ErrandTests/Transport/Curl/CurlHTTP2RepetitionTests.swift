#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// In most tests, the first request makes the connection, and gets a response.
@Suite(
  "Curl: repeated HTTP/2 requests", .timeLimit(.minutes(5)),
  .enabled(if: OpenSSL.system != nil && CurlTransport().capabilities.httpVersions.contains("HTTP/2")))
struct CurlHTTP2RepetitionTests {
  let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate, eventLoops: 1)

  private final class Served: Sendable {
    private let sizes = Locked<[Int]>([])
    func begin() -> Int {
      sizes.withLock { sizes in
        sizes.append(0)
        return sizes.count
      }
    }
    func add(_ count: Int) { sizes.withLock { $0[$0.count - 1] += count } }
    var count: Int { sizes.withLock { $0.count } }
    var lastSize: Int? { sizes.withLock { $0.last } }
  }

  /// The second and later requests fail, `times` in all.
  ///
  /// A body is read to the end before the response.
  private func server(
    _ served: Served = Served(), times: Int, fault: @escaping @Sendable (RawConnection, UInt32) -> Void
  ) throws -> RawServer {
    try .secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      let accepted = Locked<UInt32?>(nil)
      connection.serveHTTP2 { stream in
        let number = served.begin()
        if (2...times + 1).contains(number) { return fault(connection, stream) }
        if number == 1 { connection.send(.answer(to: stream)) } else { accepted.withLock { $0 = stream } }
      } received: { frame in
        if frame.stream == accepted.withLock({ $0 }) { served.add(frame.payload.count) }
      } ended: { stream in
        if stream == accepted.withLock({ $0 }) { connection.send(.answer(to: stream)) }
      }
    }
  }

  /// The same faults, for requests without a body.
  private func bodilessServer(
    _ served: Served, times: Int, fault: @escaping @Sendable (RawConnection, UInt32) -> Void
  ) throws -> RawServer {
    try .secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2 { stream in
        let number = served.begin()
        if number > 1, number <= times + 1 {
          fault(connection, stream)
        } else {
          connection.send(.answer(to: stream))
        }
      } ended: { _ in
      }
    }
  }

  private func resends(_ url: URL, _ method: HTTPMethod = .get, body: RequestBody = .none) async throws
    -> Int?
  {
    let response = try await transport.send(
      TransportRequest(HTTPRequest(url: url, method: method, body: body), timeout: .seconds(20)))
    #expect(try await response.body.all() == Data())
    return response.body.summary.metrics?.resends
  }

  /// Without a response.
  ///
  /// A GOAWAY below the stream would refuse the request.
  static let faults = HTTP2Break.allCases.filter {
    ![.endlessTrailers, .statusInTrailers, .goAwayWithError].contains($0)
  }

  // MARK: Refused requests

  @Test("a refused request is sent three times, with any method", arguments: [HTTPMethod.get, .post])
  func refused(method: HTTPMethod) async throws {
    let served = Served()
    let server = try bodilessServer(served, times: 100) { $0.send(.reset($1, code: 7)) }
    _ = try await resends(server.url())
    #expect(
      await transport.failure(server.url(), method)
        == TransportError(
          .connectionLost, "127.0.0.1:\(server.port) refused the HTTP/2 stream of the request 3 times"))
    #expect(served.count == 4)
  }

  @Test("a request that was refused twice gets its response", arguments: [HTTPMethod.get, .post])
  func refusedTwice(method: HTTPMethod) async throws {
    let served = Served()
    let server = try bodilessServer(served, times: 2) { $0.send(.reset($1, code: 7)) }
    _ = try await resends(server.url())
    #expect(try await resends(server.url(), method) == 2)
    #expect(served.count == 4)
  }

  @Test("a request that every connection refuses by GOAWAY is sent at most three times")
  func goAways() async throws {
    let served = Served()
    let server = try bodilessServer(served, times: 100) { connection, _ in
      connection.send(.goAway(last: 0))
      connection.close()
    }
    _ = try await resends(server.url())
    #expect(await transport.failure(server.url())?.kind == .connectionLost)
    #expect((3...4).contains(served.count))
  }

  @Test(
    "a refused stream whose body was read has an error that says so", arguments: [HTTPMethod.post, .put],
    [nil, 4])
  func refusedBody(method: HTTPMethod, length: Int64?) async throws {
    let served = Served()
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2 { stream in
        if served.begin() == 1 { connection.send(.answer(to: stream)) }
      } received: { frame in
        connection.send(.reset(frame.stream, code: 7))
      } ended: { _ in
      }
    }
    _ = try await resends(server.url())
    #expect(
      await transport.failure(server.url(), method, body: .stream(Chunks(["once"]), length: length))
        == TransportError(
          .connectionLost,
          "127.0.0.1:\(server.port) refused the HTTP/2 stream, and the body of the request cannot be sent again"
        ))
    #expect(served.count == 2)
  }

  @Test("the body of a refused request arrives completely, or the request fails", arguments: [1, 2])
  func wholeBody(times: Int) async throws {
    for _ in 1...10 {
      let served = Served()
      let server = try server(served, times: times) { $0.send(.reset($1, code: 7)) }
      _ = try await resends(server.url())
      let chunks = Array(repeating: String(repeating: "a", count: 1000), count: 50)
      do {
        _ = try await resends(server.url(), .post, body: .stream(Chunks(chunks), length: nil))
        #expect(served.lastSize == 50_000)
      } catch {
        #expect(
          error as? TransportError
            == TransportError(
              .connectionLost,
              "127.0.0.1:\(server.port) refused the HTTP/2 stream, and the body of the request cannot be sent again"
            ))
      }
    }
  }

  @Test("a body that begins after its first stream was reset is sent once", arguments: [2, 7])
  func lateBody(code: UInt32) async throws {
    let served = Served()
    let server = try server(served, times: 1) { connection, stream in
      connection.send(.reset(stream, code: code))
      connection.note("reset")
    }
    _ = try await resends(server.url())
    let (stream, giving) = AsyncStream<Data>.makeStream()
    async let count = resends(server.url(), .put, body: .stream(stream, length: nil))
    await server.wait(for: "reset")
    giving.yield(Data("late".utf8))
    giving.finish()
    do {
      #expect(try await count == 1)
      #expect(served.lastSize == 4)
    } catch let error as TransportError {
      // The first stream may have taken the bytes before the reset arrived.
      #expect(error.kind == .connectionLost && !error.message.contains("head"))
    }
  }

  // MARK: Broken requests

  @Test("a GET that is broken before a response is sent again", arguments: faults)
  func broken(way: HTTP2Break) async throws {
    let served = Served()
    let server = try bodilessServer(served, times: 1) { way.run(on: $0, stream: $1) }
    _ = try await resends(server.url())
    #expect(try await resends(server.url()) == 1)
    #expect(served.count == 3)
  }

  @Test("a GET that is broken again is not sent a third time", arguments: faults)
  func brokenAgain(way: HTTP2Break) async throws {
    let served = Served()
    let server = try bodilessServer(served, times: 100) { way.run(on: $0, stream: $1) }
    _ = try await resends(server.url())
    let kind = await transport.failure(server.url(), timeout: .seconds(20))?.kind
    #expect(kind == .connectionLost || kind == .invalidResponse)
    #expect(served.count == 3)
  }

  @Test("a POST that is broken is sent once, and fails before its timeout", arguments: faults)
  func brokenPost(way: HTTP2Break) async throws {
    let served = Served()
    let server = try bodilessServer(served, times: 1) { way.run(on: $0, stream: $1) }
    _ = try await resends(server.url())
    let kind = await transport.failure(server.url(), .post, timeout: .seconds(20))?.kind
    #expect(kind == .connectionLost || kind == .invalidResponse)
    #expect(served.count == 2)
  }

  @Test(
    "an error of the whole connection breaks no other GET",
    arguments: [HTTP2Break.garbage, .badSettings, .windowOverflow, .brokenFields, .goodbye])
  func innocents(way: HTTP2Break) async throws {
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2 { stream in
        switch stream {
        case _ where connection.number > 1, 1: connection.send(.answer(to: stream))
        case 7: way.run(on: connection, stream: stream)
        default: connection.note("begun")
        }
      } ended: { _ in
      }
    }
    _ = try await resends(server.url())
    let innocents = (0..<2).map { _ in Task { try await resends(server.url()) } }
    var begun = 0
    for await note in server.notes where note == "begun" {
      begun += 1
      if begun == 2 { break }
    }
    #expect(try await resends(server.url()) == 1)
    for request in innocents { #expect(try await request.value == 1) }
  }

  @Test("after floods of SETTINGS on two connections the next GET gets its response")
  func floods() async throws {
    let served = Served()
    let flood = HTTP2Frame.settings(window: 65_535).bytes
    let server = try bodilessServer(served, times: 2) { connection, _ in
      for _ in 0..<50 { connection.send(Data((0..<100).flatMap { _ in flood })) }
    }
    _ = try await resends(server.url())
    let kind = await transport.failure(server.url(), timeout: .seconds(20))?.kind
    #expect(kind == .connectionLost || kind == .invalidResponse)
    #expect(served.count == 3)
    #expect(try await resends(server.url()) != nil)
    // The server still reads the next GET over the second flooded connection.
    #expect((4...5).contains(served.count))
  }

  // MARK: Texts

  @Test(
    "a download that is cut breaks while the response is received",
    arguments: [HTTP2Break.goodbye, .cut, .reset])
  func cutDownload(way: HTTP2Break) async throws {
    let server = try RawServer.secure(offering: TLSChannel.Offer(alpn: "h2")) { connection in
      connection.serveHTTP2 { stream in
        for frame in HTTP2Frame.response(to: stream, body: "half", isWhole: false) { connection.send(frame) }
        way.run(on: connection, stream: stream)
      } ended: { _ in
      }
    }
    for _ in 1...10 {
      let message = await transport.failure(server.url())?.message
      #expect(
        [
          "the connection to 127.0.0.1:\(server.port) broke while the response was received",
          "the connection was closed inside the body, after 4 bytes",
          "the connection was closed inside the body, after 0 bytes",
        ].contains(message))
    }
  }
}
#endif
