import Errand
import ErrandMocks
import ErrandTesting
import Foundation
import Testing

/// Each test mocks different responses for the same URLs of the same agent.
@Suite("Mocks of parallel tests")
struct ParallelMocksTests {
  @Test(
    "200 tests with the same trait only get answers of their own scopes",
    .mocked(by: { Numbered.transport() }), arguments: 1...200)
  func byTrait(_ test: Int) async throws {
    let number = try #require(MockScope.current?.capabilities.implementation.flatMap(Int.init))
    try await Numbered.check(number)
  }

  @Test("200 tests with their own stubs only get answers of their own scopes", arguments: 1...200)
  func byStubs(_ test: Int) async throws {
    let stubs = Numbered.stubs(test)
    try await withMocks(stubs[0], stubs[1], stubs[2]) { try await Numbered.check(test) }
  }

  @Test("200 scopes that are open at the same time do not see each other", .mocked())
  func allAtOnce() async throws {
    let meeting = Meeting(of: 200)
    try await withThrowingTaskGroup { group in
      for number in 1...200 {
        group.addTask {
          let stubs = Numbered.stubs(number)
          try await withMocks(stubs[0], stubs[1], stubs[2]) {
            try await Numbered.check(number, meetingAt: meeting)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(MockScope.current?.requests.map(\.path) == [])
  }
}

/// Transports whose responses all contain the transport's number.
///
/// The URLs are equal for all numbers.
private enum Numbered {
  private static let last = Locked(0)

  /// Creates a transport whose capabilities contain the number.
  static func transport() -> MockTransport {
    let number = last.withLock { last in
      last += 1
      return last
    }
    return MockTransport(
      stubs(number), clock: TestClock(autoAdvances: true),
      capabilities: TransportCapabilities(implementation: "\(number)"))
  }

  static func stubs(_ number: Int) -> [Stub] {
    [
      Stub(
        .get, "/number",
        answers: .status(503).delayed(by: .seconds(2)), .json("\(number)").delayed(by: .seconds(1))),
      Stub(.get, "/moved", answers: .status(302).header("Location", "/number")),
      Stub(
        .get, "/stream",
        answers: .chunks(["\(number)", " ", "\(number)"].map { Data($0.utf8) }, gap: .seconds(1))),
    ]
  }

  /// Sends requests through all APIs concurrently, then sends further requests, and counts the arrived
  /// requests.
  static func check(_ number: Int, meetingAt meeting: Meeting? = nil) async throws {
    let agent = SharedApp.agent
    async let first = agent.send(.get("number", as: Int.self))
    async let moved = agent.response(for: .get("moved", as: Int.self)).value
    async let text = text(of: agent.stream(.get("stream")))
    let handle = agent.start(.get("number", as: Int.self))
    #expect(try await [first, moved, handle.value] == [number, number, number])
    #expect(try await text == "\(number) \(number)")
    await meeting?.wait()

    for _ in 1...3 { #expect(try await agent.send(.get("number", as: Int.self)) == number) }
    let paths = try #require(MockScope.current).requests.map(\.path)
    // A request among the first three got status 503, and was sent again. The redirected request restarts at
    // its first URL.
    let again = paths.count { $0 == "/moved" } == 2 ? ["/moved"] : []
    #expect(
      paths.sorted()
        == (["/moved"] + again + Array(repeating: "/number", count: 7) + ["/stream"]).sorted())
  }

  private static func text(of response: StreamedResponse) async throws -> String {
    var bytes = Data()
    for try await chunk in response.body { bytes.append(chunk) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
