import Errand
import ErrandMocks
import Foundation

extension TransportConformance {
  static let endingChecks = [
    ConformanceCheck("What is cancelled before sends nothing") { rig in
      rig.answer("/c") { _ in .status(204) }
      let signal = CancellationSignal()
      signal.cancel()
      try await conformFailing(.cancelled, "a cancelled request") {
        try await rig.exchange(rig.request(.get, "/c"), signal: signal)
      }
      _ = try await rig.exchange(rig.request(.get, "/c"))
      try conform(rig.requests.count, 1, "the number of requests")
    },
    ConformanceCheck("A cancellation ends the wait for a head at once") { rig in
      let signal = CancellationSignal()
      rig.answer("/late") { _ in
        signal.cancel()
        return .status(204).delayed(by: .seconds(3600))
      }
      try await conformFailing(.cancelled, "the wait for a head") {
        try await rig.exchange(rig.request(.get, "/late"), signal: signal)
      }
    },
    ConformanceCheck("Giving a body up ends the wait for its next chunk at once") { rig in
      rig.answer("/slow") { _ in .chunks([Data("a".utf8), Data("b".utf8)], gap: .seconds(3600)) }
      let answer = try await rig.transport.send(TransportRequest(rig.request(.get, "/slow")))
      try await conformFailing(.cancelled, "the wait for a chunk") {
        for try await _ in answer.body { answer.body.cancel() }
      }
      answer.body.cancel()
    },
    ConformanceCheck(
      "Silence longer than the timeout is an error of kind timedOut, before and after the head"
    ) { rig in
      rig.answer("/late") { _ in .status(204).delayed(by: .seconds(3600)) }
      rig.answer("/slow") { _ in .chunks([Data("a".utf8), Data("b".utf8)], gap: .seconds(3600)) }
      for path in ["/late", "/slow"] {
        try await conformFailing(.timedOut, "silence on \(path)") {
          try await rig.exchange(rig.request(.get, path), timeout: .milliseconds(200))
        }
      }
    },
    ConformanceCheck("A connection closed without an answer is connectionLost", needsNetwork: true) { rig in
      rig.answer("/closed") { _ in .failure(.cancelled) }
      try await conformFailing(.connectionLost, "a closed connection") {
        try await rig.exchange(rig.request(.post, "/closed", body: .text("x")))
      }
      try conform(rig.requests.count, 1, "the number of requests")
    },
    ConformanceCheck("A refused connection is connectionFailed", needsNetwork: true) { rig in
      let nobody = URL(string: "http://127.0.0.1:\(LoopbackSocket.refusingPort())/")!
      try await conformFailing(.connectionFailed, "a refused connection") {
        try await rig.exchange(HTTPRequest(url: nobody))
      }
    },
    ConformanceCheck("Only http and https are served", needsNetwork: true) { rig in
      for url in ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"] {
        do {
          _ = try await rig.exchange(HTTPRequest(url: URL(string: url)!))
        } catch is TransportError { continue }
        throw ConformanceFailure(description: "\(url) was served")
      }
    },
  ]
}
