import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Events as values", .timeLimit(.minutes(2)))
struct DecodedEventsTests {
  private struct Delta: Decodable, Sendable, Equatable { var text: String }

  private let clock = TestClock(autoAdvances: true)

  private func agent(_ answers: MockAnswer...) -> (agent: RequestAgent, transport: MockTransport) {
    let transport = MockTransport(clock: clock) { request in
      request.number <= answers.count ? answers[request.number - 1] : .status(204)
    }
    let configuration = AgentConfiguration(jsonCoding: .snakeCase, clock: AgentClock(clock))
    return (
      RequestAgent(baseURL: "http://example.com", transport: transport, configuration: configuration),
      transport
    )
  }

  private static func events(_ data: String..., staysOpen: Bool = false) -> MockAnswer {
    .events(data.map { ServerSentEvent($0) }, staysOpen: staysOpen)
  }

  @Test(
    "Each event is a value, the end marker ends the loop without a value, and no further connection is made")
  func ending() async throws {
    let (agent, transport) = agent(
      Self.events(#"{"text":"a"}"#),
      Self.events(#"{"text":"b"}"#, "[DONE]", #"{"text":"c"}"#, staysOpen: true))
    let ended = await agent.serverSentEvents(of: .get("chat")).decoded(as: Delta.self, until: "[DONE]")
      .drained()
    #expect(ended.elements == [Delta(text: "a"), Delta(text: "b")] && ended.error == nil)
    #expect(transport.requests.count == 2)
    await until { agent.liveCount == 0 && agent.groups.count == 0 }
  }

  @Test("Without an end marker the loop continues to the server's end")
  func endless() async throws {
    let (agent, transport) = agent(Self.events(#"{"text":"a"}"#), Self.events(#"{"text":"b"}"#))
    let ended = await agent.serverSentEvents(of: .get("chat")).decoded(as: Delta.self).drained()
    #expect(ended.elements == [Delta(text: "a"), Delta(text: "b")] && ended.error == nil)
    #expect(transport.requests.count == 3)
  }

  @Test("Events are decoded with the dispatch's coding, and invalid data ends the loop")
  func coding() async throws {
    struct Person: Decodable, Sendable, Equatable { var firstName: String }
    let (agent, _) = agent(Self.events(#"{"first_name":"Ada"}"#, "[DONE]"))
    let ended = await agent.serverSentEvents(of: .post("chat")).decoded(as: Person.self).drained()
    #expect(ended.elements == [Person(firstName: "Ada")])
    let error = try #require(ended.error as? RequestError)
    #expect(
      error.kind == .decoding
        && error.reason.hasPrefix("the data of an event of type message cannot be decoded: ")
    )
    await until { agent.liveCount == 0 && agent.groups.count == 0 }
  }
}
