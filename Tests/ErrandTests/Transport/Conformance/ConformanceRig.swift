import Errand
import ErrandMocks
import Foundation

protocol ConformanceRig: Sendable {
  var transport: any Transport { get }
  var baseURL: URL { get }
  var requests: [ReceivedRequest] { get }
  /// A later response for the path replaces the earlier response.
  func answer(_ path: String, _ answer: @escaping @Sendable (ReceivedRequest) -> MockAnswer)
}

extension ConformanceRig {
  func request(
    _ method: HTTPMethod = .get, _ path: String, headers: HTTPHeaders = [:], body: RequestBody = .none
  ) -> HTTPRequest {
    HTTPRequest(
      url: URL(string: baseURL.absoluteString + path)!, method: method, headers: headers, body: body)
  }

  func exchange(
    _ request: HTTPRequest, timeout: Duration = .seconds(300),
    signal: CancellationSignal = CancellationSignal()
  ) async throws -> (head: HTTPResponse, body: Data, summary: TransportSummary) {
    let answer = try await transport.send(TransportRequest(request, timeout: timeout, cancellation: signal))
    var body = Data()
    for try await chunk in answer.body { body.append(chunk) }
    return (answer.head, body, answer.body.summary)
  }
}

struct SocketRig: ConformanceRig {
  let transport: any Transport
  let server: MockServer

  init(_ transport: any Transport) throws {
    self.transport = transport
    server = try MockServer()
  }

  var baseURL: URL { server.baseURL }
  var requests: [ReceivedRequest] { server.requests }

  func answer(_ path: String, _ answer: @escaping @Sendable (ReceivedRequest) -> MockAnswer) {
    server.route(nil, path) { answer($0) }
  }
}
