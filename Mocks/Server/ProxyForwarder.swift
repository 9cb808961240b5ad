import Errand
import Foundation

final class ProxyForwarder: Sendable {
  private let passing: PassThrough
  /// The port of the mock server, to recognize requests to the mock server.
  private let port: Int
  private let wake: @Sendable () -> Void
  /// The server's name in `Via`, to detect forwarding loops (RFC 9110 section 7.6.3).
  private let name = "errand-\(UInt64.random(in: .min ... .max))"

  init(_ passing: PassThrough, from port: Int, wake: @escaping @Sendable () -> Void) {
    (self.passing, self.port, self.wake) = (passing, port, wake)
  }

  /// Returns true for a request to be forwarded without a record in the journal.
  func ignores(_ request: HTTPRequest) -> Bool { isForOtherServer(request) && passing.ignores(request) }

  func takes(_ request: HTTPRequest) -> Bool {
    isForOtherServer(request) && passing.refusal(of: request) == nil
  }

  func send(_ request: HTTPRequest) -> PendingAnswer {
    var copy = request.forwarded
    copy.headers.add("Via", "1.1 \(name)")
    return PendingAnswer(copy, by: passing.transport, wake: wake)
  }

  private func isForOtherServer(_ request: HTTPRequest) -> Bool {
    let (url, method) = (request.url, request.method)
    guard method != HTTPMethod("CONNECT"), let host = url.host,
      let standardPort = url.scheme.flatMap({ ["http": 80, "https": 443][$0.lowercased()] })
    else { return false }
    if request.headers.values(for: "Via").contains(where: { $0.contains(name) }) { return false }
    let own = ["127.0.0.1", "::1", "[::1]", "localhost"]
    return !(own.contains(host.lowercased()) && (url.port ?? standardPort) == port)
  }
}

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
          headers: response.head.headers.forwarded)
      } catch {
        answer = .text("the request could not be forwarded: \(error)", status: 502)
      }
      found.withLock { $0 = answer }
      wake()
    }
  }

  var answer: MockAnswer? { found.withLock { $0 } }

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
  fileprivate var forwarded: HTTPRequest {
    var copy = self
    copy.headers = headers.forwarded
    for name in ["Host", "Expect", "Proxy-Authorization"] { copy.headers[name] = nil }
    copy.headers["Accept-Encoding"] = "identity"
    return copy
  }
}

extension HTTPHeaders {
  /// The fields without connection-specific fields (RFC 9110 section 7.6.1) and framing fields.
  fileprivate var forwarded: HTTPHeaders {
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
