import Foundation

/// The request's own answer after its last attempt failed.
final class MockFallback: Sendable {
  /// The request that failed, as it was sent.
  let request: HTTPRequest
  private let response: Result<HTTPResponse, any Error>

  init(to request: HTTPRequest, _ response: Result<HTTPResponse, any Error>) {
    self.request = request
    self.response = response
  }

  /// What the attempt that is made of it gets instead of the wire's answer.
  func answer() throws -> TransportResponse { TransportResponse(mock: try response.get()) }
}

extension TransportResponse {
  /// A whole response as a transport would give it.
  init(mock response: HTTPResponse) {
    var head = response
    head.body = Data()
    head.trailers = [:]
    self.init(
      head: head, body: BodyStream(response.body, summary: TransportSummary(trailers: response.trailers)))
  }
}
