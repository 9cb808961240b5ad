import ErrandMocks
import Foundation

@testable import Errand

struct CacheBench: Sendable {
  static let epoch = Date(timeIntervalSince1970: 1_700_000_000)

  let clock = TestClock()
  let cache: ResponseCache
  let transport: MockTransport
  let agent: RequestAgent

  init(
    _ cache: ResponseCache = MemoryCache(), policy: CachePolicy = .standard,
    _ change: (inout AgentConfiguration) -> Void = { _ in },
    answer: @escaping @Sendable (ReceivedRequest) throws -> MockAnswer
  ) {
    self.cache = cache
    transport = MockTransport { try answer($0) }
    var configuration = AgentConfiguration()
    configuration.cache = cache
    configuration.cachePolicy = policy
    configuration.clock = AgentClock(clock, date: Self.epoch)
    change(&configuration)
    agent = RequestAgent(baseURL: "https://api.test", transport: transport, configuration: configuration)
  }

  /// The body is the number of the request.
  static func counting(_ control: String, _ more: HTTPHeaders = [:])
    -> @Sendable (ReceivedRequest) -> MockAnswer
  {
    { request in
      var answer = MockAnswer.text("\(request.number)").header("Cache-Control", control)
      for field in more.fields { answer = answer.header(field.name, field.value) }
      return answer
    }
  }

  var count: Int { transport.requests.count }

  func advance(_ seconds: Int) async { await clock.advance(by: .seconds(seconds)) }

  func get(
    _ path: String = "a", _ policy: CachePolicy = .inherited, headers: HTTPHeaders = [:]
  ) async throws -> String {
    let request = OneOffRequest<String>.get(path, headers: headers, as: String.self)
    let received = try await agent.response(for: request.with(\.cachePolicy, policy))
    return "\(received.value) \(received.report.cache?.source.rawValue ?? "uncached")"
  }

  func verdict(
    _ path: String = "a", _ policy: CachePolicy = .inherited, headers: HTTPHeaders = [:]
  ) async throws -> String {
    let request = OneOffRequest<String>.get(path, headers: headers, as: String.self)
    return try await agent.response(for: request.with(\.cachePolicy, policy)).report.cache?.description
      ?? "none"
  }
}
