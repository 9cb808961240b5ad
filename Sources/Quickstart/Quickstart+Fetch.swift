import Errand

extension Quickstart {
  /// A request without validators, because every status is a valid response.
  private struct Fetch: Request {
    typealias Response = HTTPResponse
    let path: String
    let validators: [any ResponseValidator] = []
  }

  static func fetch(_ url: String, _ accessories: [any Accessory]) async throws {
    let agent = RequestAgent(accessories: accessories, configuration: .quickstart)
    let received = try await agent.response(for: Fetch(path: url))
    let response = received.response
    print(response.status)
    print(response.headers)
    if let metrics = received.report.attempts.last?.metrics { print("\n" + timings(of: metrics)) }
    print("\n\(response.body.count) bytes")
    for line in String(decoding: response.body, as: UTF8.self).split(separator: "\n").prefix(10) {
      print(line.prefix(120))
    }
  }

  private static func timings(of metrics: TransportSummary.Metrics) -> String {
    let times = [
      ("name lookup", metrics.nameLookup), ("connected", metrics.connect), ("TLS", metrics.secureConnect),
      ("first byte", metrics.firstByte), ("total", metrics.total),
    ]
    let line = times.filter { $0.1 > .zero }.map { "\($0.0) \(Int($0.1 / .microseconds(1))) µs" }
    return (line + ["\(metrics.httpVersion ?? "HTTP") from \(metrics.remoteAddress ?? "?")"]).joined(
      separator: ", ")
  }
}

extension AgentConfiguration {
  /// The configuration of the program.
  ///
  /// Plain http is allowed, because the user chooses the URL.
  static var quickstart: AgentConfiguration {
    var configuration = AgentConfiguration()
    configuration.destinations.plainHTTP = .allowed
    return configuration
  }
}
