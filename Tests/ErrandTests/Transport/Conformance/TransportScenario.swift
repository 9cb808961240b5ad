import ErrandMocks
import Foundation

@testable import Errand

/// With the same expected events for every transport.
struct TransportScenario: Sendable, CustomStringConvertible {
  let description: String
  let request: @Sendable (MockServer) throws -> ScenarioRequest

  init(_ description: String, request: @escaping @Sendable (MockServer) throws -> ScenarioRequest) {
    self.description = description
    self.request = request
  }

  /// The server's port and the library's error code are removed.
  func account(of transport: any Transport) async throws -> [String] {
    let server = try MockServer()
    defer { server.stop() }
    let watcher = ScenarioWatcher()
    let agent = RequestAgent(baseURL: server.baseURL, transport: transport, accessories: [watcher])
    var request = try request(server)
    if request.isUnreachable {
      request.baseURL = URL(string: "http://127.0.0.1:\(LoopbackSocket.refusingPort())")
    }
    do {
      let text = try await agent.send(request)
      watcher.note("value \(text.prefix(40)) of \(text.utf8.count) bytes")
    } catch let error as RequestError {
      watcher.note("\(error.kind.name) at \(error.stage): \(error.reason)")
    }
    watcher.note("the server got \(server.requests.map { "\($0.method) \($0.target) \($0.body.count)" })")
    return watcher.lines.map { line in
      line.replacing(#/127\.0\.0\.1:\d+/#, with: "server").replacing(#/ \(code -?\d+\)$/#, with: "")
    }
  }
}

struct ScenarioRequest: Request {
  typealias Response = String
  var path = "a"
  var baseURL: URL?
  var method: HTTPMethod = .get
  var headers: HTTPHeaders = [:]
  var body: RequestBody = .automatic
  var parameters: Parameters = [:]
  var timeout: Duration = .seconds(60)
  var retryPolicy: RetryPolicy = .none
  var limits: TransferLimits?
  var authentication: Authentication = .inherited
  /// No server listens at the target.
  var isUnreachable = false
}

final class ScenarioWatcher: Accessory {
  private let noted = Locked([String]())

  var lines: [String] { noted.withLock { $0 } }

  func note(_ line: String) { noted.withLock { $0.append(line) } }

  func requestWillStart(_ context: RequestContext) async { note("start") }

  func attemptWillStart(_ context: RequestContext) async { note("attempt") }

  func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    note("send \(request.method) \(request.url.path)")
  }

  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    let redirects = attempt.redirects.isEmpty ? "" : " after \(attempt.redirects.count) redirects"
    note(
      "attempt \(attempt.number) got \(attempt.response?.status.code ?? 0) of \(attempt.bodyLength) bytes\(redirects)"
    )
  }

  func requestWillStop(_ context: RequestContext) async { note("will stop") }

  func requestDidStop(_ report: ExchangeReport, context: RequestContext) async { note("stop") }
}
