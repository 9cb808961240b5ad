import Errand
import Foundation
import TestSupport
import Testing

/// Runs against nginx; `.ci/run` starts nginx with `.ci/nginx.conf`.
@Suite(
  "Against nginx",
  .enabled(
    if: Server.nginx != nil, "set ERRAND_NGINX to the URL of an nginx with .ci/nginx.conf to run these"))
struct NginxTests {
  let agent = RequestAgent(baseURL: Server.nginx)

  struct User: Decodable, Sendable, Equatable {
    var id: Int
    var name: String
  }

  @Test("A file is decoded, and the server's time and the connection are reported")
  func file() async throws {
    let received = try await agent.response(for: .get("user.json", as: User.self))
    #expect(received.value == User(id: 7, name: "Ada"))
    #expect(received.response.serverDate != nil)
    let metrics = try #require(received.report.attempts.first?.metrics)
    #expect(metrics.httpVersion == "HTTP/1.1")
    #expect(metrics.remoteAddress?.hasPrefix("127.0.0.1:") == true)
    #expect(metrics.bytesReceived > 22)
    #expect(metrics.isConnectionReused == false)
  }

  @Test("The second request reuses the first connection")
  func reuse() async throws {
    _ = try await agent.send(.get("user.json", as: User.self))
    let second = try await agent.response(for: .get("user.json", as: User.self))
    #expect(second.report.attempts.first?.metrics?.isConnectionReused == true)
  }

  @Test("A large body arrives complete, plain and compressed", arguments: ["large.txt", "gzip/large.txt"])
  func large(_ path: String) async throws {
    let call = OneOffRequest.get(path, as: Data.self).with(\.limits, .unlimited)
    let received = try await agent.response(for: call)
    #expect(received.value.count == 20_000_000)
    #expect(received.value.allSatisfy { $0 == 0x65 })
    #expect((received.response.headers["Content-Encoding"] == "gzip") == path.hasPrefix("gzip"))
  }

  @Test("A redirect is followed on the same connection")
  func moved() async throws {
    let received = try await agent.response(for: .get("moved", as: User.self))
    #expect(received.value == User(id: 7, name: "Ada"))
    #expect(received.response.url?.path == "/user.json")
    let attempt = try #require(received.report.attempts.first)
    #expect(attempt.redirects.map(\.to.path) == ["/user.json"])
    #expect(attempt.metrics?.isConnectionReused == true)
  }

  @Test("A body that grows a thousandfold by decoding is refused by default")
  func bomb() async throws {
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("gzip/large.txt", as: Data.self))
    }
    #expect(error.kind == .limitExceeded)
    #expect(error.reason == "decoding expands the body more than limits.decodedRatio, 200 times")
  }

  @Test("Trailers are read, separate from the head")
  func trailers() async throws {
    let received = try await agent.response(for: .get("trailer/user.json", as: User.self))
    #expect(received.value.id == 7)
    #expect(received.response.trailers == ["X-Checksum": "abc"])
    #expect(!received.response.headers.contains("X-Checksum"))
  }

  @Test("A connection closed without an answer is a connection failure")
  func closed() async throws {
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("closed")) }
    #expect(error.kind == .connectionLost)
    #expect(error.isConnectionFailure)
  }

  @Test("A missing file is a 404 with the page of the server in the error")
  func missing() async throws {
    let error = try await #require(throws: RequestError.self) {
      try await agent.send(.get("nothing", as: User.self))
    }
    #expect(error.reason == "status 404 Not Found is not in 200..<300")
    #expect(error.response?.body.isEmpty == false)
  }

  @Test("A range is requested and returned")
  func range() async throws {
    let call = OneOffRequest.get("large.txt", as: Data.self).with(\.headers, ["Range": "bytes=5-9"])
    let received = try await agent.response(for: call)
    #expect(received.response.status == 206)
    #expect(received.response.headers["Content-Range"] == "bytes 5-9/20000000")
    #expect(received.value == Data("eeeee".utf8))
  }

  @Test("200 concurrent requests all get their own response")
  func many() async throws {
    agent.maxRequestsPerOrigin = 0
    try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      for index in 0..<200 {
        group.addTask { [agent] in
          let call = OneOffRequest.get("large.txt", as: Data.self)
            .with(\.headers, ["Range": "bytes=0-\(index)"])
          return (index, try await agent.send(call))
        }
      }
      for try await (index, data) in group { #expect(data.count == index + 1) }
    }
    #expect(agent.liveCount == 0)
  }
}

extension NginxTests {
  @Test(
    "An interrupted download is resumed with ranges, by ETag and by date",
    arguments: [false, true])
  func ranges(byDate: Bool) async throws {
    let directory = TemporaryDirectory()
    let destination = directory.url.appendingPathComponent("large.txt")
    let path = byDate ? "dated/large.txt" : "large.txt"
    for _ in 0..<2 {
      let cut = RequestAgent(
        baseURL: Server.nginx, transport: CutTransport(DefaultTransport.make(), after: 7_000_001))
      let error = try await #require(throws: RequestError.self) {
        try await cut.download(.get(path), to: destination, resumes: true)
      }
      #expect(error.kind == .connectionLost)
      #expect(!FileManager.default.fileExists(atPath: destination.path))
    }
    let received = try await agent.response(
      for: Fetch(path: path, destination: destination))
    #expect(received.value.size == 20_000_000)
    let answer = received.response
    #expect(answer.status == 206)
    #expect(answer.headers["Content-Range"] == "bytes 14000000-19999999/20000000")
    #expect((answer.headers["ETag"] == nil) == byDate)
    #expect(try Data(contentsOf: destination).allSatisfy { $0 == 0x65 })
    #expect(try directory.files == ["large.txt"])
  }

  private struct Fetch: DownloadRequest {
    let path: String
    let destination: URL
    let resumes = true
  }
}
