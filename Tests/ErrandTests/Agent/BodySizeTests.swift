import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The limit on the size of a body")
struct BodySizeTests {
  private static func limits(_ bytes: Int) -> TransferLimits {
    var limits = TransferLimits()
    limits.bodySize = bytes
    return limits
  }

  private static let answers: [MockAnswer] = [
    .text("hello"), .chunks(["he", "ll", "o"].map { Data($0.utf8) }),
  ]

  @Test("A body of its length passes, whole or in chunks")
  func fits() async throws {
    for answer in Self.answers {
      let agent = RequestAgent.mocked(by: MockTransport { _ in answer })
      let request = OneOffRequest.get("x", as: String.self).with(\.limits, Self.limits(5))
      #expect(try await agent.send(request) == "hello")
    }
  }

  @Test("A longer one ends the attempt, is not retried, and leaves what came", arguments: [4, 0, -1])
  func tooLong(_ bytes: Int) async throws {
    for answer in Self.answers {
      let agent = RequestAgent.mocked(by: MockTransport { _ in answer })
      let error = try await #require(throws: RequestError.self) {
        try await agent.send(.get("x").with(\.limits, Self.limits(bytes)).with(\.retryPolicy, .upTo(3)))
      }
      #expect(error.kind == .limitExceeded && error.stage == .transport && error.attempts == 1)
      #expect(error.reason == "the body is longer than limits.bodySize, \(bytes) bytes")
      #expect(error.response?.status == 200)
      #expect(
        error.description.hasSuffix("Try: Raise the limit named above if the server is to be trusted."))
    }
  }
}
