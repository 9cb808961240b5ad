import Foundation

@testable import Errand

/// The function gets the request and its number.
final class FunctionTransport: Transport {
  private let answer: @Sendable (HTTPRequest, Int) async throws -> HTTPResponse
  private let sent = Locked([HTTPRequest]())
  let capabilities: TransportCapabilities

  init(
    capabilities: TransportCapabilities = TransportCapabilities(),
    _ answer: @escaping @Sendable (HTTPRequest, Int) async throws -> HTTPResponse = { _, _ in HTTPResponse() }
  ) {
    self.capabilities = capabilities
    self.answer = answer
  }

  var requests: [HTTPRequest] { sent.withLock { $0 } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let number = sent.withLock { sent in
      sent.append(request.request)
      return sent.count
    }
    let response = try await answer(request.request, number)
    var head = response
    head.body = Data()
    return TransportResponse(head: head, body: BodyStream(response.body))
  }
}
