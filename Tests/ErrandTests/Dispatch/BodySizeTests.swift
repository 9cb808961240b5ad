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

  @Test("A body of exactly the limit passes, whole or in chunks")
  func fits() async throws {
    for answer in Self.answers {
      let agent = RequestAgent.mocked(by: MockTransport { _ in answer })
      let request = OneOffRequest.get("x", as: String.self).with(\.limits, Self.limits(5))
      #expect(try await agent.send(request) == "hello")
    }
  }

  @Test("By default a whole body has at most 256 MiB, and a streamed body has no limit")
  func standard() async throws {
    // Zeros that are never read or written take no physical memory.
    func agent(_ count: Int) -> RequestAgent {
      .mocked(by: MockTransport { _ in .data(Data(count: count)) })
    }
    let request = OneOffRequest<HTTPResponse>("x", response: .response)
    #expect(try await agent(268_435_456).send(request).body.count == 268_435_456)
    let error = await #expect(throws: RequestError.self) { try await agent(268_435_457).send(request) }
    #expect(error?.kind == .limitExceeded)
    #expect(error?.reason == "the body is longer than limits.bodySize, 268435456 bytes")
    var streamed = 0
    for try await chunk in try await agent(268_435_457).stream(request).body { streamed += chunk.count }
    #expect(streamed == 268_435_457)
    let lifted = try await agent(268_435_457).send(request.with(\.limits, .unlimited))
    #expect(lifted.body.count == 268_435_457)
  }

  @Test("An explicit default also limits streams")
  func set() {
    var limits = TransferLimits()
    #expect(limits.streamSize == nil)
    limits.bodySize = 268_435_456
    #expect(limits.streamSize == 268_435_456)
    limits.bodySize = nil
    #expect(limits.streamSize == nil && TransferLimits.unlimited.streamSize == nil)
  }

  @Test(
    "A longer body ends the attempt, is not retried, and the error has the received bytes",
    arguments: [4, 0, -1])
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
        error.description.hasSuffix("Try: If you trust the server, raise the limit named above."))
    }
  }
}
