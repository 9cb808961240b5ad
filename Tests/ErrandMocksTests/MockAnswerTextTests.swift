import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("An answer describes itself in a single line, as the name of a test argument")
struct MockAnswerTextTests {
  static let rows: [(answer: MockAnswer, text: String)] = [
    (.status(204), "204 No Content, 0 bytes"),
    (.json(#"{"id":7}"#), "200 OK, Content-Type: application/json, 8 bytes"),
    (.text("a").header("X-A", "1"), "200 OK, Content-Type: text/plain; charset=utf-8, X-A: 1, 1 bytes"),
    (.chunks([Data("ab".utf8), Data("c".utf8)]), "200 OK, 3 bytes in 2 chunks"),
    (.failure(TransportError(.connectionLost, "gone")), "failure: gone"),
    (.fault(.refused), "connection refused"),
    (.fault(.reset), "connection reset"),
    (.fault(.stalled), "stalled"),
    (.fault(.timedOut), "timed out"),
    (
      .json(#"{"id":7}"#).fault(.truncated(after: 3)),
      "200 OK, Content-Type: application/json, 8 bytes, connection closed after 3 bytes of the body"
    ),
    (.fault(.reset(after: 2)), "200 OK, 3 bytes, connection reset after 2 bytes of the body"),
    (.status(200).fault(.refused), "connection refused"),
    (.status(200).header("Set-Cookie", "sid=s3cret"), "200 OK, Set-Cookie: <redacted>, 0 bytes"),
  ]

  @Test("Each kind of answer has a description", arguments: rows)
  func text(_ row: (answer: MockAnswer, text: String)) {
    #expect(row.answer.description == row.text)
    #expect(String(reflecting: row.answer) == row.text)
  }

  @Test("A fault describes itself")
  func fault() {
    #expect("\(AnswerFault.refused)" == "connection refused")
    #expect("\(AnswerFault.stalled(after: 7))" == "stalled after 7 bytes of the body")
  }
}

@Suite("Every initializer of a mock transport gives the same capabilities")
struct MockTransportCapabilityTests {
  @Test("Transports of variadic stubs, a list and a closure send trailers")
  func trailers() async throws {
    let transports = [
      MockTransport(Stub(.post, "/a")), MockTransport([Stub(.post, "/a")]),
      MockTransport { _ in .status(200) },
    ]
    #expect(Set(transports.map { "\($0.capabilities)" }).count == 1)
    for transport in transports {
      let agent = RequestAgent(baseURL: "http://a.example", transport: transport)
      let request = OneOffRequest<Void>.post("a", body: .text("x")).with(
        \.trailers, RequestTrailers(["X-Sum": "1"]))
      try await agent.send(request)
      #expect(transport.requests.first?.trailers["X-Sum"] == "1")
    }
  }
}
