import Errand
import ErrandMocks
import MetricsTestKit
import Testing

@Suite("Metrics by swift-metrics")
struct RequestMetricsTests {
  static func recorders(_ id: Int) async throws -> (all: [TestRecorder], port: Int) {
    let metrics = TestMetrics()
    let server = try Scene.server()
    let agent = Scene.agent(server, accessories: [RequestMetrics(factory: metrics)])
    _ = try? await agent.send(Scene.GetUser(id: id))
    return (metrics.recorders, server.port)
  }

  @Test("Each attempt is recorded in seconds, with few dimensions")
  func attempts() async throws {
    let (recorders, port) = try await Self.recorders(7)
    let lines = recorders.map { recorder in
      recorder.dimensions.map { "\($0)=\($1)" }.joined(separator: " ") + ": \(recorder.values.count)"
    }
    let place = "server.address=127.0.0.1 server.port=\(port) url.template=/users/{id}"
    let version = "network.protocol.name=http network.protocol.version=1.1"
    #expect(
      lines.sorted() == [
        "error.type=503 http.request.method=GET http.response.status_code=503 \(version) \(place): 2",
        "http.request.method=GET http.response.status_code=200 \(version) \(place): 1",
      ])
    #expect(recorders.allSatisfy { $0.label == "http.client.request.duration" && $0.aggregate })
    #expect(recorders.flatMap(\.values).allSatisfy { (0..<10).contains($0) })
    #expect(!"\(lines)".contains(Scene.canary))
  }

  @Test("An unsent attempt is not recorded")
  func unsent() async throws {
    let metrics = TestMetrics()
    let agent = RequestAgent(accessories: [RequestMetrics(factory: metrics)])
    await #expect(throws: RequestError.self) { try await agent.send(Scene.GetUser(id: 7)) }
    #expect(metrics.recorders.isEmpty)
  }
}
