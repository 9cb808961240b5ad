import Testing

@testable import Errand

@Suite("The limits of a transfer")
struct TransferLimitsTests {
  @Test("The default limits stop attacks and no honest response")
  func defaults() {
    let limits = TransferLimits()
    #expect(limits.headSize == 262_144)
    #expect(limits.headerCount == 1_000)
    #expect(limits.informationalCount == 20)
    #expect(limits.bodySize == 268_435_456)
    #expect(limits.decodedSize == nil)
    #expect(limits.decodedRatio == 200)
    #expect(limits.decodedRatioGrace == 8_388_608)
    #expect(limits.connectTimeout == .seconds(30))
    #expect(limits.firstByteTimeout == nil)
    #expect(limits.minimumThroughput == nil)
    #expect(limits.attemptTimeout == nil)
    #expect(TransferLimits.Throughput(bytes: 1).window == .seconds(10))
  }

  @Test("The agent has the default limits, and a request inherits the agent's")
  func inherited() {
    struct Fetch: Request { typealias Response = String }
    #expect(AgentConfiguration().limits == TransferLimits())
    #expect(Fetch().limits == nil)
    #expect(Fetch().deadline == nil)
  }

  @Test("Unlimited switches every limit off")
  func unlimited() {
    let limits = TransferLimits.unlimited
    #expect([limits.headSize, limits.headerCount, limits.informationalCount].allSatisfy { $0 == nil })
    #expect([limits.bodySize, limits.decodedSize, limits.decodedRatio].allSatisfy { $0 == nil })
    let times = [limits.connectTimeout, limits.firstByteTimeout, limits.attemptTimeout]
    #expect(times.allSatisfy { $0 == nil })
    #expect(limits.minimumThroughput == nil)
  }

  @Test("A body limit that was set is shown, even with the default number")
  func summary() {
    var limits = TransferLimits()
    #expect(limits.summary == "the standard ones")
    limits.bodySize = 268_435_456
    #expect(limits.summary == "bodySize 268435456")
    limits.bodySize = nil
    #expect(limits.summary == "bodySize off")
  }

  @Test("The transport gets the request's limits, otherwise the agent's")
  func handedOver() async throws {
    let transport = LimitsProbe()
    var configuration = AgentConfiguration()
    configuration.limits.headerCount = 7
    let agent = RequestAgent(
      baseURL: "http://example.com", transport: transport, configuration: configuration)
    var own = TransferLimits()
    own.headerCount = 3
    try await agent.send(.get("a"))
    try await agent.send(.get("b").with(\.limits, own))
    #expect(transport.seen.map(\.headerCount) == [7, 3])
  }
}
