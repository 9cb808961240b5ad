import Errand
import ErrandMocks
import Foundation

extension TransportConformance {
  static let bodyChecks = [
    ConformanceCheck("A body arrives whole, framed by its length or in chunks; no chunk is empty") { rig in
      let bytes = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 17) })
      let parts = stride(from: 0, to: bytes.count, by: 50_000).map { bytes[$0..<$0 + 50_000] }
      rig.answer("/length") { _ in .data(bytes) }
      rig.answer("/chunks") { _ in .chunks(parts.map { Data($0) }) }
      for path in ["/length", "/chunks"] {
        let answer = try await rig.transport.send(TransportRequest(rig.request(.get, path)))
        var body = Data()
        for try await chunk in answer.body {
          try conform(chunk.isEmpty, false, "a chunk is empty")
          body.append(chunk)
        }
        try conform(body == bytes, true, "the body of \(path)")
      }
    },
    ConformanceCheck("No body has no chunk, and its end can be asked for again") { rig in
      rig.answer("/none") { _ in .status(204) }
      rig.answer("/empty") { _ in .text("") }
      rig.answer("/head") { _ in .text("left out") }
      for request in [rig.request(.get, "/none"), rig.request(.get, "/empty"), rig.request(.head, "/head")] {
        let answer = try await rig.transport.send(TransportRequest(request))
        var chunks = answer.body.makeAsyncIterator()
        try conform(try await chunks.next(), nil, "the first chunk")
        try conform(try await chunks.next(), nil, "the end again")
      }
    },
    ConformanceCheck("The codings of its capabilities are decoded; the headers stay as they came") { rig in
      guard rig.transport.capabilities.contentCodings.contains("gzip") else { return }
      let coded = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJVyjPL8pJAQCFEUoNCwAAAA==")!
      rig.answer("/gzip") { _ in .data(coded).header("Content-Encoding", "gzip") }
      let (head, body, _) = try await rig.exchange(rig.request(.get, "/gzip"))
      try conform(String(decoding: body, as: UTF8.self), "hello world", "the decoded body")
      try conform(head.headers["Content-Encoding"], "gzip", "the header")
    },
    ConformanceCheck("Measured times follow each other, and bytes count heads too") { rig in
      rig.answer("/m") { _ in .text(String(repeating: "x", count: 1000)) }
      guard let metrics = try await rig.exchange(rig.request(.get, "/m")).summary.metrics else { return }
      try conform(
        metrics.nameLookup <= metrics.total && metrics.connect <= metrics.total, true, "connect <= total")
      try conform(metrics.firstByte <= metrics.total, true, "first byte <= total")
      try conform(metrics.bytesReceived > 1000 && metrics.bytesSent > 0, true, "the bytes")
    },
    ConformanceCheck("A hundred transfers at once do not mix") { rig in
      rig.answer("/n/*") { request in
        .chunks((0..<5).map { Data("\(request.path).\($0) ".utf8) }, gap: .milliseconds(1))
      }
      try await withThrowingTaskGroup(of: (String, Data).self) { group in
        for number in 0..<100 {
          group.addTask { ("/n/\(number)", try await rig.exchange(rig.request(.get, "/n/\(number)")).body) }
        }
        for try await (path, body) in group {
          let expected = (0..<5).map { "\(path).\($0) " }.joined()
          try conform(String(decoding: body, as: UTF8.self), expected, "the body of \(path)")
        }
      }
    },
  ]
}
