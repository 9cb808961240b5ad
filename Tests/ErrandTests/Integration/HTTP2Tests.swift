#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// Runs against nginx over HTTP/2.
///
/// `.ci/run` starts nginx with a test certificate authority.
@Suite(
  "HTTP/2", .timeLimit(.minutes(5)),
  .enabled(
    if: Server.tls != nil && Server.authority != nil
      && CurlTransport().capabilities.httpVersions.contains("HTTP/2"),
    "set ERRAND_TLS and ERRAND_AUTHORITY, and have libcurl 8.3, to run these"))
struct HTTP2Tests {
  typealias Sighting = HTTP2Sighting

  let transport = CurlTransport(certificateAuthorities: Server.authority)
  let base: URL

  init() throws { base = try #require(Server.tls) }

  @Test("100 concurrent requests to an unknown host share a connection")
  func oneConnection() async throws {
    let all = try await Sighting.of(transport, base, count: 100)
    #expect(all.map(\.number) == Array(0..<100))
    #expect(Set(all.map(\.connection)).count == 1)
    #expect(Set(all.map(\.version)) == ["HTTP/2.0"])
    #expect(Set(all.map(\.metrics.httpVersion)) == ["HTTP/2"])
    #expect(all.filter { !$0.metrics.isConnectionReused }.count == 1)
    #expect(all.allSatisfy { $0.metrics.resends == 0 })
  }

  @Test("100 concurrent POSTs share a connection")
  func posts() async throws {
    let all = try await Sighting.of(transport, base, count: 100, method: .post)
    #expect(Set(all.map(\.connection)).count == 1)
  }

  @Test("three hundred at once all get their own answer")
  func threeHundred() async throws {
    let all = try await Sighting.of(transport, base, count: 300)
    #expect(all.map(\.number) == Array(0..<300))
    #expect(Set(all.map(\.version)) == ["HTTP/2.0"])
  }

  @Test("100 bodies of a megabyte arrive complete over a single connection")
  func megabytes() async throws {
    let found = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
      for number in 0..<100 {
        group.addTask { [transport, base] in
          let headers: HTTPHeaders = ["Range": "bytes=0-\(1_000_000 + number)"]
          let url = base.appendingPathComponent("large.txt")
          let response = try await transport.send(
            TransportRequest(HTTPRequest(url: url, headers: headers), timeout: .seconds(30)))
          let body = try await response.body.all()
          #expect(body.count == 1_000_001 + number)
          return (number, response.head.headers["X-Connection"])
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(found.map(\.0)).count == 100)
    #expect(Set(found.map(\.1)).count == 1)
  }

  @Test("responses without a body end with their head")
  func noBody() async throws {
    for (path, method, status) in [("large.txt", HTTPMethod.head, 200), ("empty", .get, 204)] {
      let whole = try await transport.whole(base.appendingPathComponent(path), method)
      #expect(whole == Whole(status: HTTPResponse.Status(status), body: Data(), trailers: [:]))
    }
    #expect(try await Sighting.of(transport, base, count: 1).map(\.metrics.isConnectionReused) == [true])
  }

  @Test("trailers are read")
  func trailers() async throws {
    let url = base.appendingPathComponent("trailer/user.json")
    let whole = try await transport.whole(url, headers: ["Accept-Encoding": "gzip"])
    #expect(whole.text == #"{"id":7,"name":"Ada"}"# + "\n")
    #expect(whole.trailers == ["X-Checksum": "abc"])
  }

  @Test("a body stream is sent, with a length and without", arguments: [true, false])
  func upload(hasLength: Bool) async throws {
    let parts = (0..<30).map { String(repeating: "\($0 % 10)", count: 20_000) }
    let body = RequestBody.stream(Chunks(parts), length: hasLength ? 600_000 : nil)
    let whole = try await transport.whole(base.appendingPathComponent("put"), .put, body: body)
    struct Echo: Decodable { var data: String }
    #expect(try JSONDecoder().decode(Echo.self, from: whole.body).data == parts.joined())
  }

  @Test("A stream that the server resets fails alone")
  func reset() async throws {
    let before = try await Sighting.of(transport, base, count: 1)
    let failure = await transport.failure(base.appendingPathComponent("closed"))
    let peer = "127.0.0.1:\(base.port ?? 0)"
    #expect(failure == TransportError(.connectionLost, "\(peer) reset the HTTP/2 stream", code: 92))
    let after = try await Sighting.of(transport, base, count: 1)
    #expect(after.map(\.connection) == before.map(\.connection))
  }

  @Test("The cancellation of a stream does not affect other streams of the connection")
  func cancellation() async throws {
    let cancellation = CancellationSignal()
    let slow = HTTPRequest(url: base.appendingPathComponent("slow.txt"))
    let victim = try await transport.send(TransportRequest(slow, cancellation: cancellation))
    let others = try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<10 {
        group.addTask { [transport, base] in
          let url = base.appendingPathComponent("slow.txt")
          return try await transport.whole(url, headers: ["Range": "bytes=0-150000"]).body
        }
      }
      cancellation.cancel()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    await #expect(throws: TransportError.cancelled) { _ = try await victim.body.all() }
    #expect(others.map(\.count) == Array(repeating: 150_001, count: 10))
    let after = try await Sighting.of(transport, base, count: 1)
    #expect(after.map { "\($0.connection)" } == [victim.head.headers["X-Connection"]])
  }

  @Test("A reader that does not read blocks no other stream")
  func slowReader() async throws {
    let url = base.appendingPathComponent("large.txt")
    let resting = try await transport.get(url)
    let all = try await Sighting.of(transport, base, count: 50)
    #expect(all.map(\.number) == Array(0..<50))
    #expect(Set(all.map { "\($0.connection)" }) == [resting.head.headers["X-Connection"]])
    #expect(try await transport.whole(url).body.count == 20_000_000)
    #expect(try await resting.body.all().count == 20_000_000)
  }
}
#endif
