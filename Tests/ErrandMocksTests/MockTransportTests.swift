import Errand
import ErrandMocks
import Foundation
import Testing

@Suite("MockTransport")
struct MockTransportTests {
  @Test("A stub returns its answers in order, and repeats the last answer")
  func orderedAnswers() async throws {
    let transport = MockTransport([
      Stub(.get, "https://api.example.com/users/7", answers: .status(503), .json(#"{"id":7}"#))
    ])
    var seen: [String] = []
    for _ in 1...3 {
      let (head, body) = try await transport.exchange(.get, "https://api.example.com/users/7")
      seen.append("\(head.status.code) \(body)")
    }
    #expect(seen == ["503 ", #"200 {"id":7}"#, #"200 {"id":7}"#])
  }

  @Test("A response head has its fields in order, and the framing field")
  func head() async throws {
    let transport = MockTransport([
      Stub(.get, "/a", answers: .json("{}", status: 201).header("X-A", "1").header("X-A", "2"))
    ])
    let (head, _) = try await transport.exchange(.get, "https://h/a")
    #expect(head.status == 201)
    #expect(
      head.headers == [
        "Content-Type": "application/json", "X-A": "1", "X-A": "2", "Content-Length": "2",
      ])
    #expect(head.url == URL(string: "https://h/a"))
  }

  @Test("A value is encoded with sorted keys, and an encoding error is thrown at the declaration")
  func encodedAnswers() async throws {
    let transport = MockTransport([Stub(.get, "/a", answers: try .json(["b": 1, "a": 2]))])
    #expect(try await transport.exchange(.get, "https://h/a").body == #"{"a":2,"b":1}"#)
    #expect(throws: EncodingError.self) { try MockAnswer.json([Double.infinity]) }
  }

  @Test("Without stubs, the message says so")
  func noStubs() async {
    await #expect(
      throws: TransportError(.unmatchedStub, "no stub answers GET https://h/a; there are no stubs")
    ) {
      try await MockTransport([]).exchange(.get, "https://h/a")
    }
  }

  @Test("The transport records method, URL, headers, and the exact bytes of data and stream bodies")
  func recording() async throws {
    let transport = MockTransport { _ in .status(204) }
    let bytes = Data([0, 255, 13, 10])
    let chunks = AsyncStream<Data> { continuation in
      for chunk in ["one ", "", "two"] { continuation.yield(Data(chunk.utf8)) }
      continuation.finish()
    }
    let headers: HTTPHeaders = ["X-A": "1", "X-B": "2"]
    let bodies: [RequestBody] = [.data(bytes), .stream(chunks), .none]
    for (index, body) in bodies.enumerated() {
      let url = try #require(URL(string: "https://h/\(index)?q=1"))
      let request = HTTPRequest(url: url, method: .post, headers: headers, body: body)
      _ = try await transport.send(TransportRequest(request))
    }
    let received = transport.requests
    #expect(received.map(\.number) == [1, 2, 3])
    #expect(received.map(\.method) == [.post, .post, .post])
    #expect(received.map(\.target) == ["/0?q=1", "/1?q=1", "/2?q=1"])
    #expect(received.map(\.url) == (0...2).map { URL(string: "https://h/\($0)?q=1") })
    #expect(received.map(\.headers) == [headers, headers, headers])
    #expect(received.map(\.body) == [bytes, Data("one two".utf8), Data()])
    #expect(received.map(\.connection) == [nil, nil, nil])
  }

  @Test("A closure gets the request with its whole body, and its error is rethrown")
  func closure() async throws {
    struct Broken: Error {}
    let transport = MockTransport { request in
      if request.method == .delete { throw Broken() }
      return .text("you sent \(request.text)")
    }
    #expect(try await transport.exchange(.post, "https://h/a", body: .text("hi")).body == "you sent hi")
    await #expect(throws: Broken.self) { try await transport.exchange(.delete, "https://h/a") }
  }

  @Test("A failure is thrown, and responses to HEAD and with status 204 have no body")
  func failuresAndEmptyBodies() async throws {
    let lost = TransportError(.connectionLost, "the connection broke")
    let transport = MockTransport([
      Stub(.get, "/lost", answers: .failure(lost)), Stub(.head, "/a", answers: .text("body")),
      Stub(.get, "/204", answers: .text("body", status: 204)),
    ])
    await #expect(throws: lost) { try await transport.exchange(.get, "https://h/lost") }
    let (head, body) = try await transport.exchange(.head, "https://h/a")
    #expect(head.headers["Content-Length"] == "4")
    #expect(body == "")
    #expect(try await transport.exchange(.get, "https://h/204").body == "")
  }

  @Test("Two transports with different stubs for a URL stay separate under concurrency")
  func independence() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let transport = MockTransport([Stub(.get, "https://h/a", answers: .text("\(number)"))])
          let body = try await transport.exchange(.get, "https://h/a").body
          #expect(body == "\(number)")
          #expect(transport.requests.count == 1)
        }
      }
      try await group.waitForAll()
    }
  }
}
