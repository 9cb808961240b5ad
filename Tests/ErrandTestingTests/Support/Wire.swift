import Errand
import ErrandMocks

/// Stands for the network, which is no mock of the agent's own: it answers all, and has what reached it.
final class Wire: Transport {
  private let mock = MockTransport { _ in .text("wire") }

  var capabilities: TransportCapabilities { mock.capabilities }
  var requests: [ReceivedRequest] { mock.requests }

  func send(_ request: TransportRequest) async throws -> TransportResponse { try await mock.send(request) }
}
