import Errand
import ErrandMocks

/// A transport that replaces the network instead of the agent's mocks.
///
/// Answers and records every request.
final class Wire: Transport {
  private let mock = MockTransport { _ in .text("wire") }

  var capabilities: TransportCapabilities { mock.capabilities }
  var requests: [ReceivedRequest] { mock.requests }

  func send(_ request: TransportRequest) async throws -> TransportResponse { try await mock.send(request) }
}
