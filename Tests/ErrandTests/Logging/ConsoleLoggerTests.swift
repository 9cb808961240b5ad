import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Lines of the console logger")
struct ConsoleLoggerTests {
  struct GetProfile: Request {
    typealias Response = Data
    let path = "users/7"
    let headers: HTTPHeaders = ["Accept": "application/json", "Authorization": "Bearer abc"]
    let comment: String? = "profile"
    let retryPolicy = RetryPolicy.upTo(1, backoff: .constant(.milliseconds(1500)))
  }

  /// The transport takes 9 ms for a success, and 12 ms for any other status.
  static func texts(
    _ level: ConsoleLogger.Level, _ request: some Request = GetProfile(), _ answers: HTTPResponse...
  ) async -> [String] {
    let recorder = Recorder()
    let clock = TestClock(autoAdvances: true)
    let agent = RequestAgent(
      baseURL: "https://api.example.com",
      transport: FunctionTransport { _, number in
        let answer = answers[min(number, answers.count) - 1]
        try await clock.sleep(for: .milliseconds(answer.status.isSuccess ? 9 : 12))
        return answer
      },
      accessories: [ConsoleLogger(level: level) { recorder.add($0) }],
      configuration: .quiet(AgentClock(clock)))
    _ = try? await agent.send(request)
    return recorder.events
  }

  static let busy = HTTPResponse(status: 503, body: Data("busy".utf8))
  static let fine = HTTPResponse(
    headers: ["Content-Type": "application/json"], body: Data(#"{"id":7}"#.utf8))

  @Test("At off there is no output, and at line a line for each event")
  func line() async {
    #expect(await Self.texts(.off, GetProfile(), Self.busy, Self.fine) == [])
    #expect(
      await Self.texts(.line, GetProfile(), Self.busy, Self.fine) == [
        "[1.1] > GET https://api.example.com/users/7 (profile)",
        "[1.1] < 503 Service Unavailable, 4 bytes, 0.012 s",
        "[1.1] ! status 503 Service Unavailable is not in 200..<300; attempt 2 follows in 1.500 s (policy)",
        "[1.2] > GET https://api.example.com/users/7 (profile)",
        "[1.2] < 200 OK, 8 bytes, 0.009 s",
        "[1] = success, 2 attempts, 1.521 s",
      ])
  }

  @Test("At headers there are also header fields, with redacted credentials")
  func headers() async {
    #expect(
      await Self.texts(.headers, GetProfile(), Self.fine) == [
        """
        [1.1] > GET https://api.example.com/users/7 (profile)
        [1.1] > Accept: application/json
        [1.1] > Authorization: Bearer <redacted>
        """,
        """
        [1.1] < 200 OK, 8 bytes, 0.009 s
        [1.1] < Content-Type: application/json
        """,
        "[1] = success, 1 attempt, 0.009 s",
      ])
  }

  @Test("At body there are also bodies of both directions, with redacted secret fields")
  func body() async {
    let login = OneOffRequest<Data>(
      "login", method: .post, parameters: ["user": "ada", "password": "hunter2"], serializer: .json,
      response: .data)
    #expect(
      await Self.texts(.body, login, Self.fine) == [
        """
        [1.1] > POST https://api.example.com/login
        [1.1] > Content-Type: application/json
        [1.1] > {"user":"ada","password":"<redacted>"}
        """,
        """
        [1.1] < 200 OK, 8 bytes, 0.009 s
        [1.1] < Content-Type: application/json
        [1.1] < {"id":7}
        """,
        "[1] = success, 1 attempt, 0.009 s",
      ])
  }

  @Test("A failure before sending, and a cancelled dispatch, end with their line")
  func ends() async {
    struct Cancelling: RequestHooks {
      func filter<Value>(_ outcome: Outcome<Value>, context: RequestContext) async -> Outcome<Value> {
        .cancelled
      }
    }
    #expect(
      await Self.texts(.body, .get("ftp://example.com/a", as: Data.self), Self.fine) == [
        "[1.1] ! the scheme \"ftp\" of \"ftp://example.com/a\" is not supported: use http, https or data",
        "[1] = failure (invalidURL), 1 attempt, 0.000 s: GET ftp://example.com/a",
      ])
    let recorder = Recorder()
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: FunctionTransport(), hooks: [Cancelling()],
      accessories: [ConsoleLogger { recorder.add($0) }],
      configuration: .quiet(AgentClock(TestClock())))
    _ = try? await agent.send(.get("a"))
    #expect(recorder.events.last == "[1] = cancelled, 1 attempt, 0.000 s")
  }

  @Test("A body limit of any size is allowed", arguments: [Int.max, .max / 4, 0, .min])
  func bodyLimit(_ limit: Int) async throws {
    struct Sink: LogSink {
      let recorder = Recorder()
      func write(_ event: LoggedEvent) { recorder.add(event.text) }
    }
    let sink = Sink()
    let agent = RequestAgent(
      baseURL: "https://api.example.com",
      transport: FunctionTransport { _, _ in HTTPResponse(body: Data("abc".utf8)) },
      accessories: [ConsoleLogger(level: .body, bodyLimit: limit, sink: sink)],
      configuration: .quiet(AgentClock(TestClock())))
    try await agent.send(.get("x"))
    #expect(sink.recorder.events.contains { $0.hasSuffix(limit > 0 ? "\n[1.1] < abc" : "\n[1.1] < …") })
  }

  @Test("Every line begins with the numbers, so no body or message looks like an event")
  func lineBreaks() async {
    struct Odd: Error, CustomStringConvertible { let description = "first\r\n[9] = success" }
    struct Throwing: RequestHooks {
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        throw Odd()
      }
    }
    let recorder = Recorder()
    let agent = RequestAgent(
      baseURL: "https://api.example.com",
      transport: FunctionTransport { _, _ in HTTPResponse(body: Data("a\r\n[9] = b\n[9] = c\u{2028}d".utf8))
      },
      hooks: [Throwing()], accessories: [ConsoleLogger(level: .body) { recorder.add($0) }],
      configuration: .quiet(AgentClock(TestClock())))
    _ = try? await agent.send(.get("x").with(\.comment, "two\nlines"))
    let lines = recorder.events.flatMap { $0.split(whereSeparator: \.isNewline) }
    #expect(
      lines == [
        "[1.1] > GET https://api.example.com/x (two", "[1.1] > lines)",
        "[1.1] < 200 OK, 22 bytes, 0.000 s", "[1.1] < a", "[1.1] < [9] = b", "[1.1] < [9] = c", "[1.1] < d",
        "[1.1] ! filterResponse threw first", "[1.1] ! [9] = success",
        "[1] = failure (hook), 1 attempt, 0.000 s: GET https://api.example.com/x",
      ])
  }
}

extension AgentConfiguration {
  /// Without `User-Agent` and `Accept-Language`.
  fileprivate static func quiet(_ clock: AgentClock) -> AgentConfiguration {
    var configuration = AgentConfiguration()
    configuration.userAgent = nil
    configuration.acceptLanguage = nil
    configuration.clock = clock
    return configuration
  }
}
