import Foundation

@testable import Errand

final class HeldTransport: Transport {
  private struct State {
    var sent: [HTTPRequest] = []
    var cancelled = 0
  }

  private let state = Locked(State())
  private let answer: @Sendable (HTTPRequest, Int) throws -> TransportResponse
  /// By response; the last gate holds all later responses.
  let gates: [OneTime<Bool>]
  let capabilities = TransportCapabilities()

  init(
    gates: Int = 1,
    _ answer: @escaping @Sendable (HTTPRequest, Int) throws -> TransportResponse = { _, _ in .ok }
  ) {
    self.gates = (0..<gates).map { _ in OneTime() }
    self.answer = answer
  }

  var requests: [HTTPRequest] { state.withLock { $0.sent } }
  var cancelled: Int { state.withLock { $0.cancelled } }

  func open(_ gate: Int = 0) { gates[gate].set(true) }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let number = state.withLock { state in
      state.sent.append(request.request)
      return state.sent.count
    }
    let gate = gates[min(number, gates.count) - 1]
    do {
      _ = try await request.cancellation.cancelling { try await gate.wait() }
    } catch {
      state.withLock { $0.cancelled += 1 }
      throw TransportError.cancelled
    }
    return try answer(request.request, number)
  }
}

extension TransportResponse {
  static let ok = TransportResponse(head: HTTPResponse(), body: BodyStream(Data("ok".utf8)))
}

extension RequestAgent {
  static func held(by transport: HeldTransport, clock: AgentClock = .continuous) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = clock
    return RequestAgent(baseURL: "http://a", transport: transport, configuration: configuration)
  }

  func waitForSharing(_ count: Int) async {
    while sharedTransfers.waiterCount != count { await Task.yield() }
  }
}

struct Shared: Request {
  typealias Response = String
  var path = "users"
  var method = HTTPMethod.get
  var headers: HTTPHeaders = [:]
  var retryPolicy: RetryPolicy = .none
  var coalescing: CoalescingPolicy = .whileInFlight
}
