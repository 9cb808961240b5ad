import Errand
import ErrandMocks
import Foundation

extension TransportConformance {
  static let responseChecks = [
    ConformanceCheck("Every status is given as it is; none is followed, retried or thrown") { rig in
      for code in [200, 201, 204, 299, 300, 301, 302, 304, 307, 308, 400, 401, 404, 407, 418, 500, 503, 599] {
        let path = "/status/\(code)"
        rig.answer(path) { _ in
          .status(HTTPResponse.Status(code)).header("Location", "/elsewhere").header(
            "WWW-Authenticate", "Basic realm=\"r\"")
        }
        try conform(
          try await rig.exchange(rig.request(.get, path)).head.status, HTTPResponse.Status(code), "the status"
        )
      }
      try conform(rig.requests.map(\.path).contains("/elsewhere"), false, "a redirect was followed")
      try conform(rig.requests.count, 18, "the number of requests")
    },
    ConformanceCheck("The headers are given in order, with duplicates, apart from each other") { rig in
      rig.answer("/h") { _ in
        .text("x").header("X-B", "2").header("Set-Cookie", "a=1").header("set-cookie", "b=2").header(
          "X-Empty", "")
      }
      let head = try await rig.exchange(rig.request(.get, "/h")).head
      try conform(head.headers.values(for: "Set-Cookie"), ["a=1", "b=2"], "the cookies")
      try conform(head.headers.values(for: "x-b"), ["2"], "a header in another case")
      try conform(head.headers.values(for: "X-Empty"), [""], "an empty header")
    },
    ConformanceCheck("No cookie, cache entry or credential is kept for the next request") { rig in
      rig.answer("/c") { _ in
        .text("x").header("Set-Cookie", "a=1; Path=/").header("Cache-Control", "max-age=1000").header(
          "ETag", "\"e\"")
      }
      for _ in 0..<3 { _ = try await rig.exchange(rig.request(.get, "/c")) }
      try conform(rig.requests.count, 3, "the number of requests")
      let kept = ["Cookie", "If-None-Match", "Authorization"].filter { name in
        rig.requests.contains { $0.headers.contains(name) }
      }
      try conform(kept, [], "what was kept")
    },
    ConformanceCheck("The head is given before the body has come") { rig in
      rig.answer("/slow") { _ in .chunks([Data("a".utf8), Data("b".utf8)], gap: .seconds(3600)) }
      let answer = try await rig.transport.send(TransportRequest(rig.request(.get, "/slow")))
      try conform(answer.head.status, 200, "the status")
      try conform(answer.head.body.isEmpty, true, "the body of the head is empty")
      var chunks = answer.body.makeAsyncIterator()
      try conform(try await chunks.next(), Data("a".utf8), "the first chunk")
      answer.body.cancel()
    },
  ]
}
