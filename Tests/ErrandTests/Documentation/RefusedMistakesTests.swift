#if os(Linux)
import Testing

/// Newcomers' mistakes that the compiler refuses; messages from Errand include the cure.
@Suite("Newcomers' mistakes that the compiler refuses")
struct RefusedMistakesTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let source: String
    let message: String

    init(_ source: String, _ message: String) { (self.source, self.message) = (source, message) }

    static func member(_ source: String, _ message: String) -> Mistake {
      Mistake("{ struct A: Request { typealias Response = String; \(source) } }", message)
    }

    /// An unavailable conformance carries the message.
    static func near(
      _ source: String, _ type: String, to kind: String = "RequestValue", _ message: String
    ) -> Mistake {
      .member(source, "conformance of '\(type)' to '\(kind)' is unavailable: \(message)")
    }

    static func call(_ source: String, _ message: String) -> Mistake {
      Mistake("{ agent in _ = try await agent.\(source) }", message)
    }

    var testDescription: String { source }
  }

  static let members: [Mistake] = [
    .member(
      "let accessories: [Any]",
      "stored property 'accessories' of 'Sendable'-conforming struct 'A' contains non-Sendable type 'Any'"),
    Mistake(
      "{ struct A: PaginatedRequest { typealias Response = [String]; let pagination = 3 } }",
      "type 'A' does not conform to protocol 'PaginatedRequest'"),
    Mistake(
      "{ struct A: Request { let path = \"users\" } }", "type 'A' does not conform to protocol 'Request'"),
    Mistake(
      "{ class A: Request { typealias Response = String } }",
      "non-final class 'A' cannot conform to the 'Sendable' protocol"),
    .member(
      "var headers: HTTPHeaders { [\"X-Count\": 1] }",
      "cannot convert value of type 'Int' to expected dictionary value type 'String'"),
  ]

  private static let dictionary =
    "write the type: `headers` is HTTPHeaders, `parameters` and `query` are Parameters, `body` is RequestBody"
  private static let duration = "write the type: `timeout` is Duration, such as .seconds(5)"
  private static let deadline = "write the type: `deadline` is Duration?, such as .seconds(5)"
  private static let text = "write the type: `method` is HTTPMethod, such as .post, and `baseURL` is URL?"
  private static let items = "write the type: `query` and `parameters` are Parameters, such as [\"page\": 2]"

  static let nearTypes: [Mistake] = [
    .near("var headers: [String: String] { [:] }", "Dictionary<Key, Value>", dictionary),
    .near("let headers = [\"X-Key\": \"k\"]", "Dictionary<Key, Value>", dictionary),
    .near("var parameters: [String: Any] { [:] }", "Dictionary<Key, Value>", dictionary),
    .near("var query: [String: String] { [:] }", "Dictionary<Key, Value>", dictionary),
    .near("var query: [URLQueryItem] { [] }", "Array<Element>", items),
    .near("var body: [String: Int] { [:] }", "Dictionary<Key, Value>", dictionary),
    .near("var body: Data { Data() }", "Data", "write the type: `body` is RequestBody, such as .data(bytes)"),
    .near("var timeout: Double { 5 }", "Double", duration),
    .near("var timeout: TimeInterval { 5 }", "Double", duration),
    .near("let timeout = 5", "Int", duration),
    .near(
      "var timeout: Duration? { nil }", "Optional<Wrapped>",
      "`headers`, `parameters`, `query`, `body` and `timeout` are not optional"),
    .near("var deadline: Double { 5 }", "Double", to: "RequestSetting", deadline),
    .near("var deadline: Int { 5 }", "Int", to: "RequestSetting", deadline),
    .near(
      "var deadline: Duration { .seconds(5) }", "Duration", to: "RequestSetting",
      "write the type: `deadline` is Duration?, with a question mark"),
    .near("let method = \"POST\"", "String", to: "RequestSetting", text),
    .near("var baseURL: String { \"https://api.example.com\" }", "String", to: "RequestSetting", text),
    .near(
      "let baseURL = URL(string: \"https://api.example.com\")!", "URL", to: "RequestSetting",
      "write the type: `baseURL` is URL?, with a question mark"),
    .near(
      "var jsonCoding: JSONCoding { .snakeCase }", "JSONCoding", to: "RequestSetting",
      "write the type: `jsonCoding` is JSONCoding?, with a question mark"),
    .near(
      "let jsonDecoder = JSONDecoder()", "JSONDecoder", to: "RequestSetting",
      "write the type: `jsonDecoder` is JSONDecoder?, with a question mark"),
    .near(
      "func filterRequest(_ request: HTTPRequest, context: RequestContext) async throws {}", "HTTPRequest",
      "the first parameter of `filterRequest` is inout HTTPRequest"),
    .near(
      "func filterResponse(_ response: HTTPResponse, context: RequestContext) {}", "HTTPResponse",
      "the first parameter of `filterResponse` is inout HTTPResponse"),
    Mistake(
      "{ struct A: RequestHooks { func filterRequest(_ request: HTTPRequest, context: RequestContext) async throws {} } }",
      "the first parameter of `filterRequest` is inout HTTPRequest"),
    Mistake(
      "{ struct A: RequestHooks { func filterResponse(_ response: HTTPResponse, context: RequestContext) {} } }",
      "the first parameter of `filterResponse` is inout HTTPResponse"),
    Mistake(
      "{ final class A: Request { typealias Response = String; let headers = [\"a\": \"b\"] } }",
      "conformance of 'Dictionary<Key, Value>' to 'RequestValue' is unavailable: \(dictionary)"),
    Mistake(
      "{ struct A: HouseRequest { typealias Response = String } }",
      "conformance of 'Dictionary<Key, Value>' to 'RequestValue' is unavailable: \(dictionary)"),
  ]

  private static let json = "write body: .json(value), or parameters: with serializer: .json"

  static let quickCalls: [Mistake] = [
    .call("send(.get(\"items\", page: 2))", "extra argument 'page' in call"),
    .call("send(.post(\"items\", params: [\"a\": 1]))", "extra argument 'params' in call"),
    .call(
      "send(.get(\"items\", header: [\"a\": \"1\"], as: User.self))",
      "incorrect argument label in call (have '_:header:as:', expected '_:headers:as:')"),
    .call(
      "send(.post(\"items\", headers: [:], parameters: [\"a\": 1]))",
      "argument 'parameters' must precede argument 'headers'"),
    .call("send(.post(\"items\", json: [\"a\": 1], as: User.self))", json),
    .call("send(.put(\"items\", json: User(id: 7)))", json),
    .call("send(.patch(\"items\", json: [\"a\": 1, \"b\": 2]))", json),
    .call(
      "send(.post(\"items\", parameters: [\"a\": 1], encoding: .json))",
      "write serializer: in place of encoding:"),
    .call(
      "send(.get(\"items\", body: .json(1)))",
      "a GET has no body: give parameters:, or a body to OneOffRequest(path, body:response:)"),
    .call("send(.get(\"items\", User.self))", "write as: before the type"),
    .call(
      "send(.post(\"items\", body: User(id: 7)))",
      "cannot convert value of type 'User' to expected argument type 'RequestBody'"),
    .call("send(\"users/7\")", "instance method 'send' requires that 'String' conform to 'Request'"),
    .call("send(.fetch(\"users/7\"))", "type 'Request' has no member 'fetch'"),
    .call("start(.get(\"items\", page: 2)) { _ in }", "extra argument 'page' in call"),
  ]

  /// Compiled together with the mistakes.
  static let right = [
    "{ struct A: Request { typealias Response = String; typealias HeadersMember = HTTPHeaders; let headers = [\"a\": \"b\"] } }",
    "{ struct A: Request { typealias Response = String; let body = \"text\"; let query = \"q\" } }",
    "{ agent in _ = try await agent.send(.get(\"items\", parameters: [\"a\": 1], query: [\"b\": 2], serializer: .form, as: User.self)) }",
    "{ agent in try await agent.send(.delete(\"items\", query: [\"b\": 2], body: .json(1), serializer: .json)) }",
    "{ agent in _ = try await agent.send(.head(\"items\", parameters: [\"a\": 1])) }",
    "{ agent in _ = try await agent.send(ChainRequest(.get(\"items\"))); agent.start(ChainRequest(.get(\"items\"))) { _ in } }",
  ]

  /// From one slow run of the compiler.
  private static let said = Task {
    let lines = (members + nearTypes + quickCalls).map(\.source) + right
    let program = lines.enumerated().map { index, source in
      let isCall = source.contains("agent in")
      return "let f\(index): (RequestAgent) async throws -> Void = "
        + (isCall ? source : source.replacing("{ ", with: "{ _ in ", maxReplacements: 1))
    }
    return try await Compiler.typecheck(
      """
      import Errand; import ErrandJSON; import Foundation
      struct User: Codable, Sendable { var id: Int }
      protocol HouseRequest: Request {}; extension HouseRequest { var headers: [String: String] { [:] } }
      \(program.joined(separator: "\n"))
      """
    ).1
  }

  private static func errors(of line: Int) async throws -> [Substring] {
    try await said.value.split(separator: "\n").filter {
      $0.contains("main.swift:\(line + 4):") && $0.contains(": error: ")
    }
  }

  @Test(
    "Each mistake has its own message, and no message is about groups",
    arguments: (members + nearTypes + quickCalls).indices)
  func refuses(_ index: Int) async throws {
    let mistake = (Self.members + Self.nearTypes + Self.quickCalls)[index]
    let errors = try await Self.errors(of: index)
    #expect(errors.contains { $0.contains(mistake.message) }, "\(mistake.source): \(errors)")
    #expect(!errors.contains { $0.contains("RequestGroup") })
  }

  @Test("Correct lines compile beside the mistakes", arguments: right.indices)
  func accepts(_ index: Int) async throws {
    let count = (Self.members + Self.nearTypes + Self.quickCalls).count
    #expect(try await Self.errors(of: count + index) == [])
  }
}
#endif
