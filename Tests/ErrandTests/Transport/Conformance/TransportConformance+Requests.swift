import Errand
import ErrandMocks
import Foundation

extension TransportConformance {
  static let requestChecks = [
    ConformanceCheck("The method arrives as it is, known or not") { rig in
      rig.answer("/m") { .text($0.method.token) }
      for method: HTTPMethod in [.get, .post, .put, .patch, .delete, .options, "PURGE", "lower"] {
        let text = String(decoding: try await rig.exchange(rig.request(method, "/m")).body, as: UTF8.self)
        try conform(text, method.token, "the method")
      }
    },
    ConformanceCheck("The target arrives as it is: escapes, dot segments and query are kept") { rig in
      rig.answer("/*") { _ in .status(204) }
      let paths = ["/a%20b", "/a/../b", "/a//b/", "/q?x=%41&y=a+b&z", "/;p=1"]
      for path in paths { _ = try await rig.exchange(rig.request(.get, path)) }
      let targets = rig.requests.map { $0.target.hasPrefix("http") ? tail(of: $0.target, rig) : $0.target }
      try conform(targets, paths, "the targets")
    },
    ConformanceCheck("The headers arrive in order, with duplicates and empty values; only framing is added") {
      rig in
      rig.answer("/h") { _ in .status(204) }
      let headers: HTTPHeaders = ["X-B": "2", "x-a": "1", "X-B": "3", "X-Empty": "", "X-Text": "é; \"q\""]
      _ = try await rig.exchange(rig.request(.get, "/h", headers: headers))
      _ = try await rig.exchange(rig.request(.post, "/h", headers: headers, body: .data(Data("x".utf8))))
      let framing = ["host", "content-length", "transfer-encoding"]
      for request in rig.requests {
        let sent = request.headers.fields.filter { !framing.contains($0.name.lowercased()) }
        try conform(HTTPHeaders(sent), headers, "the headers")
      }
    },
    ConformanceCheck("Bytes in memory arrive with every method, framed by their length") { rig in
      rig.answer("/b") { .data($0.body) }
      let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      for method: HTTPMethod in [.post, .put, .patch, .delete, .get] {
        let echo = try await rig.exchange(rig.request(method, "/b", body: .data(bytes))).body
        try conform(echo == bytes, true, "the \(method) body came back")
      }
    },
    ConformanceCheck("A streamed body arrives, of known and of unknown length, empty chunks and all") { rig in
      guard rig.transport.capabilities.streamsUploads else { return }
      rig.answer("/s") { .data($0.body) }
      let chunks = ["one,", "", "two,", String(repeating: "3", count: 100_000)].map { Data($0.utf8) }
      let whole = chunks.reduce(Data(), +)
      for length in [Int64(whole.count), nil] {
        let body = RequestBody.stream(length: length) { sequence(chunks) }
        let echo = try await rig.exchange(rig.request(.post, "/s", body: body)).body
        try conform(
          echo == whole, true, "the body of length \(length.map(String.init) ?? "unknown") came back")
      }
    },
    ConformanceCheck("What a body stream throws ends the request and is thrown as it is") { rig in
      guard rig.transport.capabilities.streamsUploads else { return }
      struct Broken: Error {}
      rig.answer("/s") { _ in .status(204) }
      let body = RequestBody.stream {
        AsyncThrowingStream<Data, any Error> { stream in
          stream.yield(Data("some".utf8))
          stream.finish(throwing: Broken())
        }
      }
      do {
        _ = try await rig.exchange(rig.request(.post, "/s", body: body))
      } catch is Broken { return }
      throw ConformanceFailure(description: "the error of the stream was not thrown")
    },
    ConformanceCheck("Trailers arrive behind a body of any framing, and are computed once a sending") { rig in
      try conform(rig.transport.capabilities.sendsTrailers, true, "that it sends trailers")
      rig.answer("/t") { .data($0.body) }
      let known: RequestTrailers = ["X-A": "1", "x-a": "2", "X-Empty": ""]
      let length = RequestTrailers.computed(from: 0, adding: { $0 += $1.count }) { ["X-Length": "\($0)"] }
      let chunks = ["one,", "", "two"].map { Data($0.utf8) }
      let bodies: [RequestBody] = [
        .stream { sequence(chunks) }, .stream(length: 7) { sequence(chunks) }, .data(Data("one,two".utf8)),
        .none,
      ]
      for body in bodies {
        for trailers in [known, length] {
          var request = rig.request(.post, "/t", body: body)
          request.trailers = trailers
          let echo = String(decoding: try await rig.exchange(request).body, as: UTF8.self)
          try conform(echo, body.length == 0 ? "" : "one,two", "the body")
          let expected = trailers.isComputed ? ["X-Length": "\(echo.utf8.count)"] : known.fields
          try conform(rig.requests.last?.trailers, expected, "the trailers")
        }
      }
    },
    ConformanceCheck("What computing trailers throws, and those that may not be sent, end the request") {
      rig in
      guard rig.transport.capabilities.sendsTrailers else { return }
      struct Broken: Error {}
      rig.answer("/t") { _ in .status(204) }
      var request = rig.request(.post, "/t", body: .data(Data("body".utf8)))
      request.trailers = .computed { ["Content-Length": "4"] }
      try await conformFailing(.invalidRequest, "a trailer that frames") { [request] in
        try await rig.exchange(request)
      }
      request.trailers = .computed { throw Broken() }
      do {
        _ = try await rig.exchange(request)
      } catch is Broken { return }
      throw ConformanceFailure(description: "what computing them threw was not thrown")
    },
  ]

  private static func tail(of url: String, _ rig: any ConformanceRig) -> String {
    String(url.dropFirst(rig.baseURL.absoluteString.count))
  }

  private static func sequence(_ chunks: [Data]) -> AsyncStream<Data> {
    AsyncStream { stream in
      for chunk in chunks { stream.yield(chunk) }
      stream.finish()
    }
  }
}
