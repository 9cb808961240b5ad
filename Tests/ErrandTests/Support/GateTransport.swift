import ErrandMocks
import Foundation

@testable import Errand

/// Responses wait for the test.
final class GateTransport: Transport {
  private struct State {
    var starts: [String] = []
    var priorities: [RequestPriority] = []
    var running = 0
    var most = 0
    var isOpen = false
    var gates: [String: OneTime<HTTPResponse?>] = [:]
    var resets = 0
  }

  private let state = Locked(State())

  init(isOpen: Bool = false) {
    if isOpen { state.withLock { $0.isOpen = true } }
  }

  var capabilities: TransportCapabilities { TransportCapabilities() }
  /// By host and path, in order of arrival.
  var starts: [String] { state.withLock { $0.starts } }
  var priorities: [RequestPriority] { state.withLock { $0.priorities } }
  var most: Int { state.withLock { $0.most } }
  var resets: Int { state.withLock { $0.resets } }

  func resetConnections() { state.withLock { $0.resets += 1 } }

  func waitForStarts(_ count: Int) async { await until { self.starts.count >= count } }

  func answer(_ path: String, host: String = "a.example", _ response: HTTPResponse = HTTPResponse()) {
    let gate = state.withLock { $0.gates.removeValue(forKey: host + path) }
    precondition(gate != nil, "\(path) has not come")
    gate?.set(response)
  }

  func open() {
    let gates = state.withLock { state in
      state.isOpen = true
      defer { state.gates = [:] }
      return Array(state.gates.values)
    }
    for gate in gates { gate.set(HTTPResponse()) }
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let gate = OneTime<HTTPResponse?>()
    let url = request.request.url
    let place = (url.host ?? "") + url.path
    state.withLock { state in
      state.starts.append(place)
      state.priorities.append(request.priority)
      state.running += 1
      state.most = max(state.most, state.running)
      if state.isOpen { gate.set(HTTPResponse()) } else { state.gates[place] = gate }
    }
    let handler = request.cancellation.onCancel { gate.set(nil) }
    defer {
      request.cancellation.removeHandler(handler)
      state.withLock { $0.running -= 1 }
    }
    // Only the signal ends the wait, and not the cancellation of the task.
    let response = await Task { try? await gate.wait() }.value
    guard let response = response ?? nil else { throw TransportError.cancelled }
    var head = response
    head.body = Data()
    return TransportResponse(head: head, body: BodyStream(response.body))
  }
}

/// The time limit of the suite bounds the wait.
func until(_ condition: () -> Bool) async {
  while !condition() { await Task.yield() }
}

extension RequestAgent {
  /// The base URL is `http://a.example`.
  static func gated(
    _ gate: GateTransport, limit: Int = 10, clock: TestClock = TestClock(),
    hooks: [any RequestHooks] = [], accessories: [any Accessory] = []
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    configuration.jitter = { 0 }
    configuration.maxRequestsPerOrigin = limit
    configuration.allowsMocks = true
    configuration.destinations.plainHTTP = .allowed
    return RequestAgent(
      baseURL: "http://a.example", transport: gate, hooks: hooks, accessories: accessories,
      configuration: configuration)
  }

  /// Returns when the request waits.
  @discardableResult
  func startWaiting<R: Request>(_ request: R) async -> RequestHandle<R.Response> {
    let count = waitingCount
    let handle = start(request)
    await until { self.waitingCount == count + 1 }
    return handle
  }
}
