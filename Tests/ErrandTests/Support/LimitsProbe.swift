import Foundation

@testable import Errand

final class LimitsProbe: Transport {
  private let limits = Locked([TransferLimits]())

  var capabilities: TransportCapabilities { TransportCapabilities() }
  var seen: [TransferLimits] { limits.withLock { $0 } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    limits.withLock { $0.append(request.limits) }
    return TransportResponse(head: HTTPResponse(), body: BodyStream(Data()))
  }
}
