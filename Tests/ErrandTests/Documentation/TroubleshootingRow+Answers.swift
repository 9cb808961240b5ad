#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

extension TroubleshootingRow {
  private struct ListPeople: Request {
    typealias Response = [Person]
    let path = "users"
  }

  private struct Page: Request {
    typealias Response = Person
    let path = "users/7"
    var validators: [any ResponseValidator] { [.contentType("application/json")] }
  }

  private struct Member: Decodable, Sendable {
    var firstName: String
    var created: Date?
  }

  private struct Files: Decodable, Sendable {
    struct File: Decodable, Sendable { var size: UInt8 }
    var items: [File]
  }

  private static let user = OneOffRequest.get("users/7", as: Person.self)

  /// Responses arrive when the test advances the clock.
  private static func stalled() -> (RequestAgent, TestClock) {
    let clock = TestClock()
    let stub = Stub(nil, "*", answers: .text("late").delayed(by: .seconds(10)))
    return (.mocked(by: MockTransport([stub], clock: clock)), clock)
  }

  private static func linked(_ message: String, _ link: String) -> TroubleshootingRow {
    TroubleshootingRow(message: message) {
      let agent = RequestAgent.mocked(
        Stub(nil, "/users", answers: .text("page").header("Link", "<\(link)>; rel=next")))
      let pages = agent.pages(of: .get("users?page=1", as: String.self), by: .link)
      let error = await #expect(throws: RequestError.self) { for try await _ in pages {} }
      return error?.reason ?? ""
    }
  }

  private static func streamed<Element>(
    _ message: String, _ body: String, _ elements: @escaping @Sendable (StreamedResponse) -> Streamed<Element>
  ) -> TroubleshootingRow {
    TroubleshootingRow(message: message) {
      let agent = RequestAgent.mocked(Stub(nil, "/users/7", answers: .text(body)))
      return await reason(of: elements(try await agent.stream(.get("users/7"))))
    }
  }

  private static func reason<Element>(of elements: Streamed<Element>) async -> String {
    (await elements.drained().error as? RequestError)?.reason ?? ""
  }

  static let answers = [
    mocked("status 404 Not Found is not in 200..<300", .status(404)),
    mocked("status 401 Unauthorized is not in 200..<300", .status(401)),
    failure("content type text/html is not application/json", Page()) {
      .mocked(Stub(nil, "*", answers: .data(Data("<html>".utf8), contentType: "text/html")))
    },
    mocked(#"there is no "name""#, .json(#"{"id":7}"#)),
    failure(#"there is no "firstName", but there is "first_name""#, .get("users/7", as: Member.self)) {
      .mocked(Stub(nil, "*", answers: .json(#"{"first_name":"Ada"}"#)))
    },
    failure("expected an array, found an object", ListPeople()) {
      .mocked(Stub(nil, "*", answers: .json(#"{"items":[]}"#)))
    },
    mocked("id: expected Int, found a string", .json(#"{"id":"7","name":"Ada"}"#)),
    failure("created: expected Double, found a string", .get("users/7", as: Member.self)) {
      .mocked(Stub(nil, "*", answers: .json(#"{"firstName":"Ada","created":"2026-11-21T10:00:00Z"}"#)))
    },
    failure("items[1].size: the number does not fit UInt8", .get("files", as: Files.self)) {
      .mocked(Stub(nil, "*", answers: .json(#"{"items":[{"size":30},{"size":300}]}"#)))
    },
    mocked("the body is empty", .status(200)),
    mocked("the JSON is nested deeper than 512 levels", .json(String(repeating: "[", count: 513))),
    failure("10 redirects were followed, and the server sent another", user) {
      .mocked(by: MockTransport { .status(302).header("Location", "/users/7/\($0.number)") })
    },
    mocked(
      #"the redirect from https to "http://mocked.example/users/7" is refused: the request would not be encrypted"#,
      .status(301).header("Location", "http://mocked.example/users/7")),
    TroubleshootingRow(message: "the body of the response can be read once, and was read before") {
      let agent = RequestAgent.mocked(Stub(nil, "*", answers: .text("hello")))
      let body = try await agent.stream(.get("users/7")).body
      for try await _ in body {}
      let error = await #expect(throws: RequestError.self) { for try await _ in body {} }
      return error?.reason ?? ""
    },
    streamed("a line is longer than its limit, 4194304 bytes", String(repeating: "x", count: 4_194_305)) {
      $0.lines
    },
    streamed("line 3, column 7: id: expected Int, found a string", "{\"id\":1}\n\n{\"id\":\"2\"}\n") {
      $0.jsonLines(of: [String: Int].self)
    },
    TroubleshootingRow(message: "content type application/json is not text/event-stream") {
      let agent = RequestAgent.mocked(Stub(nil, "/users/7", answers: .json("{}")))
      return await reason(of: agent.serverSentEvents(of: .get("users/7")))
    },
    linked("the pages form a loop: https://mocked.example/users?page=1 was already fetched", "?page=1"),
    linked(
      "the next page, https://cdn.example/users?page=2, has another origin than the first page",
      "https://cdn.example/users?page=2"),
    TroubleshootingRow(message: "the request was cancelled") {
      let (agent, clock) = stalled()
      let handle = agent.start(user)
      await clock.waitForSleepers()
      handle.cancel()
      let error = await #expect(throws: RequestError.self) { try await handle.value }
      return error?.reason ?? ""
    },
    TroubleshootingRow(message: "CancellationError()") {
      let (agent, clock) = stalled()
      let task = Task { try await agent.send(user) }
      await clock.waitForSleepers()
      task.cancel()
      let error = await #expect(throws: CancellationError.self) { try await task.value }
      return error.map { "\($0)" } ?? ""
    },
    TroubleshootingRow(message: "<redacted>", isExact: false) {
      Redaction.standard.headers(["Cookie": "a=1"]).fields.map(\.value).joined()
    },
  ]
}
#endif
