import Errand
import Foundation

/// Hands requests on that a server has no answer for, as a proxy does.
final class Handover: Sendable {
  private let passing: PassThrough
  /// The server's own, to which nothing is handed on.
  private let port: Int
  private let wake: @Sendable () -> Void
  /// What the server calls itself in `Via`, by which it knows a request that has come back (RFC 9110 section 7.6.3).
  private let name = "errand-\(UInt64.random(in: .min ... .max))"

  /// - Parameters:
  ///   - passing: what is handed on, and by which transport.
  ///   - port: the server's.
  ///   - wake: called when an answer is there.
  init(_ passing: PassThrough, from port: Int, wake: @escaping @Sendable () -> Void) {
    (self.passing, self.port, self.wake) = (passing, port, wake)
  }

  /// Whether the server is to know nothing of a request, which is handed on.
  func ignores(_ request: HTTPRequest) -> Bool { leadsElsewhere(request) && passing.ignores(request) }

  /// Whether a request that nothing answers is handed on.
  func takes(_ request: HTTPRequest) -> Bool {
    leadsElsewhere(request) && passing.refusal(of: request) == nil
  }

  /// Sends a request; the answer is there later.
  func send(_ request: HTTPRequest) -> PendingAnswer {
    var copy = request.handedOn
    copy.headers.add("Via", "1.1 \(name)")
    return PendingAnswer(copy, by: passing.transport, wake: wake)
  }

  /// A tunnel has no URL, and a server that asked itself would never end.
  private func leadsElsewhere(_ request: HTTPRequest) -> Bool {
    let (url, method) = (request.url, request.method)
    guard method != HTTPMethod("CONNECT"), let host = url.host,
      ["http", "https"].contains(url.scheme?.lowercased())
    else { return false }
    if request.headers.values(for: "Via").contains(where: { $0.contains(name) }) { return false }
    let own = ["127.0.0.1", "::1", "[::1]", "localhost"]
    return !(own.contains(host.lowercased()) && url.port == port)
  }
}

/// The answer of another server, awaited by a connection.
final class PendingAnswer: Sendable {
  private let found = Locked<MockAnswer?>(nil)
  private let signal = CancellationSignal()

  fileprivate init(_ request: HTTPRequest, by transport: any Transport, wake: @escaping @Sendable () -> Void)
  {
    Task { [found, signal] in
      let answer: MockAnswer
      do {
        let response = try await transport.send(TransportRequest(request, cancellation: signal))
        var body = Data()
        for try await chunk in response.body { body.append(chunk) }
        answer = MockAnswer.data(body, status: response.head.status).replacing(
          headers: response.head.headers.handedOn)
      } catch {
        answer = .text("the request could not be handed on: \(error)", status: 502)
      }
      found.withLock { $0 = answer }
      wake()
    }
  }

  /// `nil` while it has not come.
  var answer: MockAnswer? { found.withLock { $0 } }

  /// The client has gone.
  func cancel() { signal.cancel() }
}

extension MockAnswer {
  fileprivate func replacing(headers: HTTPHeaders) -> MockAnswer {
    var copy = self
    copy.headers = headers
    return copy
  }
}

extension HTTPRequest {
  /// As a proxy sends it on, without what belongs to the connection of its client; its answer comes without a content coding.
  fileprivate var handedOn: HTTPRequest {
    var copy = self
    copy.headers = headers.handedOn
    for name in ["Host", "Expect", "Proxy-Authorization"] { copy.headers[name] = nil }
    copy.headers["Accept-Encoding"] = "identity"
    return copy
  }
}

extension HTTPHeaders {
  /// Without the fields of a connection (RFC 9110 section 7.6.1), and without those that frame a body.
  fileprivate var handedOn: HTTPHeaders {
    let named = values(for: "Connection").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    let own = [
      "connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
      "content-length",
    ]
    var copy = self
    copy.fields.removeAll { (own + named).contains($0.name.lowercased()) }
    return copy
  }
}
