#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// Runs against nginx; `.ci/run` starts nginx with `.ci/nginx.conf`.
@Suite(
  "Routes and versions against nginx", .timeLimit(.minutes(5)),
  .enabled(if: Server.unixSocket != nil && Server.namedTLS != nil, "set ERRAND_SOCKET to run these"))
struct RouteServerTests {
  private static func transport(_ change: (inout ConnectionSettings) -> Void) throws -> CurlTransport {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = Server.authority
    change(&settings)
    return try CurlTransport(settings, eventLoops: 1)
  }

  @Test("Two servers with different certificates answer under the names of their certificates only")
  func destinations() async throws {
    let (named, local) = (try #require(Server.namedTLS), try #require(Server.tls))
    let path = "connection?n=1"
    for (url, port) in [(named, named.port), (local, local.port)] {
      let transport = try Self.transport { $0.routes = ["*": .destination("127.0.0.1", port: port)] }
      let text = try await transport.whole(try #require(URL(string: path, relativeTo: url)).absoluteURL).text
      #expect(text.contains(" HTTP/"))
    }
    let swapped = try Self.transport { $0.routes = ["*": .destination("127.0.0.1", port: local.port)] }
    let error = await swapped.failure(named)
    #expect(error?.kind == .secureConnectionFailed, "\(String(describing: error))")
    let addressed = try Self.transport { $0.routes = ["named.example": .addresses(["127.0.0.1"])] }
    let text = try await addressed.whole(named.appendingPathComponent("connection")).text
    #expect(text.hasSuffix(" named.example:\(named.port ?? 0)"), "\(text)")
  }

  @Test("A Unix socket of nginx serves concurrent requests and files")
  func unixSocket() async throws {
    let path = try #require(Server.unixSocket)
    let transport = try Self.transport { $0.routes = ["web.internal": .unixSocket(path)] }
    let url = try #require(URL(string: "http://web.internal/"))
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 {
        group.addTask { try await transport.whole(url.appendingPathComponent("connection")).text }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(texts.count == 100 && texts.allSatisfy { $0.hasSuffix(" HTTP/1.1 web.internal") })
    #expect(Set(texts).count == 100)
    #expect(try await transport.whole(url.appendingPathComponent("large.txt")).body.count == 20_000_000)
  }

  @Test("A Unix socket of gunicorn takes uploads", .enabled(if: Server.httpbinSocket != nil))
  func uploadToSocket() async throws {
    let path = try #require(Server.httpbinSocket)
    let transport = try Self.transport { $0.routes = ["bin.internal": .unixSocket(path)] }
    let url = try #require(URL(string: "http://bin.internal/post"))
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await transport.whole(url, .post, body: .text("number \(number).")).text
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for number in 0..<50 { #expect(texts.count { $0.contains("\"number \(number).\"") } == 1) }
  }

  @Test(
    "A name server over HTTPS answers with addresses, and refuses unknown names",
    .enabled(if: Server.nameServer != nil))
  func nameServer() async throws {
    let (names, nginx) = (try #require(Server.nameServer), try #require(Server.nginx))
    let transport = try Self.transport { $0.nameServer = names }
    for host in ["served.example", "a.served.example"] {
      let url = try #require(URL(string: "http://\(host):\(nginx.port ?? 0)/user.json"))
      #expect(try await transport.whole(url).text == "{\"id\":7,\"name\":\"Ada\"}\n")
    }
    let unknown = try #require(URL(string: "http://unknown.example:\(nginx.port ?? 0)/"))
    let error = await transport.failure(unknown)
    #expect(error?.kind == .nameNotResolved, "\(String(describing: error))")
  }

  @Test("HTTP/2 without TLS is spoken with nginx", .enabled(if: CurlLibrary.speaksHTTP2))
  func clear() async throws {
    let base = try #require(Server.clearHTTP2)
    let transport = try Self.transport { $0.httpVersion = .http2 }
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 {
        group.addTask { try await transport.whole(base.appendingPathComponent("connection")).text }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(texts).count == 1 && texts[0].contains(" HTTP/2.0 "), "\(Set(texts))")
    #expect(try await transport.whole(base.appendingPathComponent("large.txt")).body.count == 20_000_000)
  }

  @Test(
    "A download is limited, and its connection is used again", .enabled(if: CurlLibrary.speaksHTTP2),
    arguments: [false, true])
  func rate(isSecure: Bool) async throws {
    let base = try #require(isSecure ? Server.tls : Server.nginx)
    let transport = try Self.transport { _ in }
    let headers: HTTPHeaders = ["Range": "bytes=0-599999"]
    let request = HTTPRequest(url: base.appendingPathComponent("large.txt"), headers: headers)
    var limited = TransportRequest(request)
    limited.limits.maximumReceiveRate = 200_000
    let start = ContinuousClock.now
    let response = try await transport.send(limited)
    #expect(try await response.body.all().count == 600_000)
    #expect(start.duration(to: .now) > .seconds(1))
    let second = try await transport.send(TransportRequest(request))
    #expect(try await second.body.all().count == 600_000)
    #expect(second.body.summary.metrics?.isConnectionReused == true)
  }
}
#endif
