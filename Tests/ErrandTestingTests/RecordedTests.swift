import Errand
import ErrandMocks
import Foundation
import Testing

@testable import ErrandTesting

@Suite("The trait .mocked with a recording")
struct RecordedTests {
  private static let file = newFile()

  private static func newFile() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("errand-\(UUID().uuidString).har")
  }

  private static func recording() throws -> RecordingTransport {
    try RecordingTransport(file, mode: .recordMissing, over: MockTransport { _ in .text("recorded") })
  }

  @Test(
    "A recording of a test is saved at the end, and replayed by the next run",
    .mocked(by: { try RecordedTests.recording() }, allUsed: true))
  func saved() async throws {
    let scope = try #require(MockScope.current)
    #expect(try await SharedApp.agent.send(.get("a", as: String.self)) == "recorded")
    #expect(!FileManager.default.fileExists(atPath: Self.file.path))
    scope.end()
    defer { try? FileManager.default.removeItem(at: Self.file) }

    let replay = try RecordingTransport(Self.file)
    let value = try await RequestAgent.withTransport(replay) {
      try await SharedApp.agent.send(.get("a", as: String.self))
    }
    #expect(value == "recorded")
  }

  @Test("An unreadable recording fails the test")
  func unreadable() async throws {
    let trait = MockTrait.mocked(by: { try RecordingTransport(RecordedTests.newFile()) })
    await #expect(throws: TransportError.self) {
      try await trait.provideScope(for: #require(Test.current), testCase: nil) {}
    }
  }
}
