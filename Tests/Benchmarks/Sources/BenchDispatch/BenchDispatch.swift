import BenchSupport
import CAllocations
import Errand
import ErrandMocks
import Foundation

/// Measures dispatches without a network: the cost of all layers above the transport.
@main
struct BenchDispatch {
  static func main() {
    let options = Options()
    let queue = Queue(options)
    switch options.variant {
    case "waiting", "running": measure(options, after: {}) { try await queue.fill() }
    case "cancel-waiting": measure(options, after: { try await queue.fill() }) { try queue.cancel() }
    case "end-waiting": measure(options, after: { try await queue.fill() }) { try await queue.end() }
    case "redact":
      let texts = HostileTexts(options)
      measure(options, after: {}) { texts.redact() }
    default: break
    }
    if options.variant == "cached-disk" {
      let disk = CachedOnDisk()
      measure(options) { try await disk.send() }
    }
    if options.variant.hasPrefix("log-") { Logged(options).measure(options) }
    let agent = agent(options)
    if options.variant == "deadline" {
      measure(options) { try await agent.send(GetInAnHour(path: "person.json")).count }
    }
    measure(options) { try await agent.send(GetBytes(path: "person.json")).count }
  }

  private static func agent(_ options: Options) -> RequestAgent {
    let body = String(repeating: "e", count: 1024)
    switch options.variant {
    case "pipeline", "deadline":
      return RequestAgent(baseURL: "http://127.0.0.1:8080", transport: ConstantTransport(Data(body.utf8)))
    case "queue", "crowd":
      var configuration = AgentConfiguration()
      configuration.maxRequestsPerOrigin = options.variant == "queue" ? 1 : 0
      return RequestAgent(
        baseURL: "http://127.0.0.1:8080", transport: ConstantTransport(Data(body.utf8), yields: true),
        configuration: configuration)
    case "mock":
      return .mocked(by: mock(body))
    case "cached":
      // Every dispatch after the first is a cache hit.
      var configuration = AgentConfiguration()
      configuration.cache = .memory()
      let answer = MockAnswer.text(body).header("Cache-Control", "max-age=86400")
      return .mocked(
        by: MockTransport([Stub(.get, "/person.json", answers: answer)]), configuration: configuration)
    case "mock-hooks":
      return .mocked(by: mock(body), hooks: [Signing(), Numbering(), Counting()])
    default:
      fail("no such variant")
    }
  }

  private static func mock(_ body: String) -> MockTransport {
    MockTransport([Stub(.get, "/person.json", answers: .text(body))])
  }
}

struct GetBytes: Request {
  typealias Response = Data
  let path: String
}

struct GetInAnHour: Request {
  typealias Response = Data
  let path: String
  let deadline: Duration? = .seconds(3600)
}

/// Answers every request at once with the same response, and records nothing.
struct ConstantTransport: Transport {
  let capabilities = TransportCapabilities()
  /// True if the transport yields before the response, so other tasks start and wait.
  private let yields: Bool
  private let body: Data
  private let headers: HTTPHeaders

  init(_ body: Data, yields: Bool = false, more: HTTPHeaders = [:]) {
    self.yields = yields
    self.body = body
    let fields: HTTPHeaders = ["Content-Type": "text/plain", "Content-Length": "\(body.count)"]
    headers = fields.merging(more)
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    if yields { await Task.yield() }
    return TransportResponse(
      head: HTTPResponse(status: 200, headers: headers, url: request.request.url), body: BodyStream(body))
  }
}
