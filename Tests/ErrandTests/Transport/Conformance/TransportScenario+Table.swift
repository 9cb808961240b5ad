import ErrandMocks
import Foundation

@testable import Errand

extension TransportScenario {
  static let all = messages + bodies + answers + repetitions + failures

  private static func echo(_ server: MockServer) {
    server.route(nil, "/a") { .data($0.body, contentType: "text/plain") }
  }

  private static func chunks(_ texts: [String]) -> AsyncStream<Data> {
    AsyncStream { stream in
      for text in texts { stream.yield(Data(text.utf8)) }
      stream.finish()
    }
  }

  private static let messages = [
    TransportScenario("A text") { server in
      server.route(.get, "/a", answers: .text("hello"))
      return ScenarioRequest()
    },
    TransportScenario("A query") { server in
      server.route(.get, "/a", answers: .text("hello"))
      return ScenarioRequest(parameters: ["q": "a b&c", "n": [1, 2]])
    },
    TransportScenario("A path with escapes") { server in
      server.route(.get, "/a%20b/c", answers: .text("hello"))
      return ScenarioRequest(path: "a b/c")
    },
    TransportScenario("A HEAD") { server in
      server.route(.head, "/a", answers: .text("hello"))
      return ScenarioRequest(method: .head)
    },
    TransportScenario("An OPTIONS") { server in
      server.route(.options, "/a", answers: .status(204).header("Allow", "GET"))
      return ScenarioRequest(method: .options)
    },
    TransportScenario("A method of one's own") { server in
      server.route("PURGE", "/a", answers: .text("gone"))
      return ScenarioRequest(method: "PURGE")
    },
    TransportScenario("Headers of the request's own") { server in
      server.route(.get, "/a") { .text("\($0.headers["X-A"] ?? "") \($0.headers["User-Agent"] ?? "")") }
      return ScenarioRequest(headers: ["X-A": "é \"q\"", "User-Agent": "mine"])
    },
  ]

  private static let bodies = [
    TransportScenario("A POST with text") { server in
      echo(server)
      return ScenarioRequest(method: .post, body: .text("hello"))
    },
    TransportScenario("A POST without a body") { server in
      server.route(.post, "/a") { .text($0.headers["Content-Length"] ?? "none") }
      return ScenarioRequest(method: .post, body: .none)
    },
    TransportScenario("A PUT with 300,000 bytes") { server in
      echo(server)
      return ScenarioRequest(method: .put, body: .text(String(repeating: "0123456789", count: 30_000)))
    },
    TransportScenario("A PATCH with parameters as JSON") { server in
      echo(server)
      return ScenarioRequest(method: .patch, parameters: ["a": 1])
    },
    TransportScenario("A DELETE with a body") { server in
      echo(server)
      return ScenarioRequest(method: .delete, body: .text("x"))
    },
    TransportScenario("A stream of known length") { server in
      echo(server)
      return ScenarioRequest(method: .post, body: .stream(chunks(["ab", "", "cd"]), length: 4))
    },
    TransportScenario("A stream of unknown length") { server in
      echo(server)
      return ScenarioRequest(method: .post, body: .stream(chunks(["ab", "cd"])))
    },
    TransportScenario("A stream that is shorter than it says") { server in
      echo(server)
      return ScenarioRequest(method: .post, body: .stream(chunks(["ab"]), length: 4))
    },
    TransportScenario("A stream that is longer than it says") { server in
      echo(server)
      return ScenarioRequest(method: .post, body: .stream(chunks(["abcdef"]), length: 4))
    },
    TransportScenario("A form of parts with a file in memory") { server in
      server.route(.post, "/a") {
        .text($0.parts.map { "\($0.name ?? "") \($0.text)" }.joined(separator: ","))
      }
      let file = RequestBody.text("bytes")
      return ScenarioRequest(
        method: .post, parameters: ["title": "x", "file": .file(body: file, name: "a.txt")])
    },
    TransportScenario("A GET with a body") { server in
      echo(server)
      return ScenarioRequest(body: .text("x"))
    },
  ]

  private static let answers = [
    TransportScenario("A 204") { server in
      server.route(.get, "/a", answers: .status(204))
      return ScenarioRequest()
    },
    TransportScenario("A body in chunks") { server in
      server.route(
        .get, "/a", answers: .chunks(["a", "b", "c"].map { Data($0.utf8) }, contentType: "text/plain"))
      return ScenarioRequest()
    },
    TransportScenario("A body of 2 MB") { server in
      server.route(.get, "/a", answers: .text(String(repeating: "0123456789", count: 200_000)))
      return ScenarioRequest()
    },
    TransportScenario("A body in gzip") { server in
      server.route(.get, "/a", answers: .text("hello").gzipped())
      return ScenarioRequest()
    },
    TransportScenario("A body that says gzip and is none") { server in
      server.route(.get, "/a", answers: .text("hello").header("Content-Encoding", "gzip"))
      return ScenarioRequest()
    },
    TransportScenario("A 404 with a text") { server in
      server.route(.get, "/a", answers: .text("no such thing", status: 404))
      return ScenarioRequest()
    },
    TransportScenario("A 304") { server in
      server.route(.get, "/a", answers: .status(304))
      return ScenarioRequest()
    },
    TransportScenario("A 401 that asks for Basic") { server in
      server.route(
        .get, "/a", answers: .text("who?", status: 401).header("WWW-Authenticate", "Basic realm=\"r\""))
      return ScenarioRequest()
    },
    TransportScenario("A 407") { server in
      server.route(.get, "/a", answers: .status(407).header("Proxy-Authenticate", "Basic realm=\"r\""))
      return ScenarioRequest()
    },
    TransportScenario("A body longer than its limit") { server in
      server.route(.get, "/a", answers: .text(String(repeating: "x", count: 2_000)))
      var limits = TransferLimits()
      limits.bodySize = 1_000
      return ScenarioRequest(limits: limits)
    },
    TransportScenario("A head of more fields than its limit") { server in
      let answer = (0..<20).reduce(MockAnswer.text("x")) { $0.header("X-\($1)", "y") }
      server.route(.get, "/a", answers: answer)
      var limits = TransferLimits()
      limits.headerCount = 10
      return ScenarioRequest(limits: limits)
    },
    TransportScenario("A limit on decoding") { server in
      server.route(.get, "/a", answers: .text("x"))
      var limits = TransferLimits()
      limits.decodedSize = 10
      return ScenarioRequest(limits: limits)
    },
  ]

  private static let repetitions = [
    TransportScenario("A 503 and then a text") { server in
      server.route(.get, "/a", answers: .status(503), .text("hello"))
      return ScenarioRequest(retryPolicy: .upTo(1, backoff: .constant(.zero)))
    },
    TransportScenario("A 503 until there is no retry left") { server in
      server.route(.get, "/a", answers: .status(503))
      return ScenarioRequest(retryPolicy: .upTo(2, backoff: .constant(.zero)))
    },
    TransportScenario("A 301") { server in
      server.route(.get, "/a", answers: .status(301).header("Location", "/b"))
      server.route(.get, "/b", answers: .text("there"))
      return ScenarioRequest()
    },
    TransportScenario("A 302 of a POST") { server in
      server.route(.post, "/a", answers: .status(302).header("Location", "b/../c"))
      server.route(.get, "/c", answers: .text("there"))
      return ScenarioRequest(method: .post, body: .text("x"))
    },
    TransportScenario("A 307 with a body") { server in
      server.route(.post, "/a", answers: .status(307).header("Location", "/b"))
      server.route(.post, "/b") { .data($0.body, contentType: "text/plain") }
      return ScenarioRequest(method: .post, body: .text("again"))
    },
    TransportScenario("A 308 with a stream that can be sent once") { server in
      server.route(.post, "/a", answers: .status(308).header("Location", "/b"))
      return ScenarioRequest(method: .post, body: .stream(chunks(["ab"]), length: 2))
    },
    TransportScenario("A circle of redirects") { server in
      server.route(.get, "/a", answers: .status(302).header("Location", "/a"))
      return ScenarioRequest()
    },
  ]

  private static let failures = [
    TransportScenario("Nobody listens") { _ in ScenarioRequest(isUnreachable: true) },
    TransportScenario("No answer to a POST") { server in
      server.route(.post, "/a", answers: .failure(.cancelled))
      return ScenarioRequest(method: .post, body: .text("x"))
    },
    TransportScenario("A body that breaks off") { server in
      server.route(
        .get, "/a", answers: .text(String(repeating: "x", count: 1_000)).fault(.truncated(after: 100)))
      return ScenarioRequest()
    },
    TransportScenario("A body in chunks that breaks off") { server in
      let chunks = (0..<3).map { _ in Data(repeating: 0x78, count: 50) }
      server.route(
        .get, "/a",
        answers: MockAnswer.chunks(chunks, contentType: "text/plain").fault(.truncated(after: 100)))
      return ScenarioRequest()
    },
    TransportScenario("A reset inside the body") { server in
      server.route(.get, "/a", answers: .text(String(repeating: "x", count: 1_000)).fault(.reset(after: 100)))
      return ScenarioRequest()
    },
    TransportScenario("Silence before the head") { server in
      server.route(.get, "/a", answers: MockAnswer.text("x").delayed(by: .seconds(3_600)))
      return ScenarioRequest(timeout: .milliseconds(150))
    },
    TransportScenario("Silence inside the body") { server in
      server.route(
        .get, "/a", answers: MockAnswer.text(String(repeating: "x", count: 1_000)).fault(.stalled(after: 100))
      )
      return ScenarioRequest(timeout: .milliseconds(150))
    },
    TransportScenario("No first byte within its limit") { server in
      server.route(.get, "/a", answers: MockAnswer.text("x").delayed(by: .seconds(3_600)))
      var limits = TransferLimits()
      limits.firstByteTimeout = .milliseconds(150)
      return ScenarioRequest(limits: limits)
    },
    TransportScenario("Another scheme") { _ in
      ScenarioRequest(path: "x", baseURL: URL(string: "ftp://127.0.0.1:1/"))
    },
  ]
}
