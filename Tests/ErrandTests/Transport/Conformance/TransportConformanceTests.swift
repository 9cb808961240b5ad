@testable import Errand
import ErrandMocks
import ErrandURLSession
import Foundation
import Testing

@Suite("Every transport")
struct TransportConformanceTests {
  /// In memory, without real time.
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
    let rig = try SocketRig(DefaultTransport.make())
    defer { rig.server.stop() }
    try await check.run(rig)
  }

  @Test(
    "URLSessionTransport conforms, except for its session's deviations",
    arguments: TransportConformance.checks)
  func session(_ check: ConformanceCheck) async throws {
    let rig = try SocketRig(URLSessionTransport())
    defer { rig.server.stop() }
    guard let gap = Self.gapsOfSessions[check.description] else { return try await check.run(rig) }
    await withKnownIssue(Comment(rawValue: gap)) { try await check.run(rig) }
  }

  /// By the check that finds the deviation.
  private static let gapsOfSessions = [
    "The target arrives as it is: escapes, dot segments and query are kept": "dot segments are removed",
    "The headers arrive in order, with duplicates and empty values; only framing is added":
      "fields have no order, those of one name are joined, and Accept is added",
    "The headers are given in order, with duplicates, apart from each other":
      "of fields whose names differ in case the last is kept",
    "Bytes in memory arrive with every method, framed by their length": "a GET with a body is refused",
    "Trailers arrive behind a body of any framing, and are computed once a sending": "it sends no trailers",
  ]

  @Test(
    "MockTransport conforms without a network",
    arguments: TransportConformance.checks.filter { !$0.needsNetwork })
  func memory(_ check: ConformanceCheck) async throws {
    try await check.run(MemoryRig())
  }

  @Test("A transport that does not conform fails the checks")
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
