import Foundation

@testable import Errand

final class GatedTransport: Transport {
  private let gate = OneTime<Void>()
  private let arrivals = Locked((count: 0, waiting: [(Int, OneTime<Void>)]()))

  let capabilities = TransportCapabilities()
  private let status: HTTPResponse.Status

  init(status: HTTPResponse.Status = 200) { self.status = status }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let arrived = arrivals.withLock { state in
      state.count += 1
      return state.waiting.filter { $0.0 <= state.count }.map(\.1)
    }
    for waiting in arrived { waiting.set(()) }
    try await request.cancellation.cancelling { try await self.gate.wait() }
    return TransportResponse(head: HTTPResponse(status: status), body: BodyStream(.init()))
  }

  func open() { gate.set(()) }

  func waitForRequests(_ count: Int) async {
    let arrival = OneTime<Void>()
    let isThere = arrivals.withLock { state in
      state.waiting.append((count, arrival))
      return state.count >= count
    }
    if !isThere { try? await arrival.wait() }
  }
}
