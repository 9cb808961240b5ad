@testable import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("Every transport")
struct TransportConformanceTests {
  /// A transport that answers from memory, on a clock that needs no time.
  struct MemoryRig: ConformanceRig {
    let transport: any Transport
    let baseURL = URL(string: "http://memory.example")!
    private let mock: MockTransport
    private let answers: AnswerTable

    init() {
      let answers = AnswerTable()
      self.answers = answers
      mock = MockTransport(clock: TestClock(autoAdvances: true)) { answers.answer(to: $0) }
      transport = mock
    }

    var requests: [ReceivedRequest] { mock.requests }

    func answer(_ path: String, _ answer: @escaping @Sendable (ReceivedRequest) -> MockAnswer) {
      answers.add(path, answer)
    }
  }

  @Test(
    "CurlTransport conforms", .enabled(if: Platform.name == "Linux"), arguments: TransportConformance.checks)
  func curl(_ check: ConformanceCheck) async throws {
    // The platform's default.
    let rig = try SocketRig(DefaultTransport.make())
    defer { rig.server.stop() }
    try await check.run(rig)
  }

  @Test(
    "MockTransport conforms where there is no network",
    arguments: TransportConformance.checks.filter { !$0.needsNetwork })
  func memory(_ check: ConformanceCheck) async throws {
    try await check.run(MemoryRig())
  }

  @Test("A transport that does not conform is told so")
  func told() async throws {
    struct Deaf: Transport {
      var capabilities: TransportCapabilities { TransportCapabilities() }
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(head: HTTPResponse(status: 200), body: BodyStream(Data()))
      }
    }
    var failures = 0
    for check in TransportConformance.checks {
      do {
        try await check.run(try SocketRig(Deaf()))
      } catch {
        failures += 1
      }
    }
    #expect(failures > 15)
  }
}
