import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Typed errors from the bodies of refused responses")
struct ErrorBodyTests {
  struct ShopProblem: Error, Decodable, Equatable {
    var errorCode: String
  }

  struct Order: Request {
    typealias Response = [Int]
    let path = "orders"
    var validators: [any ResponseValidator] = [.status(200..<300).errorBody(ShopProblem.self)]
    var retryPolicy = RetryPolicy.none
    var jsonDecoder: JSONDecoder? = {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return decoder
    }()
  }

  private func failure(_ answer: MockAnswer, _ order: Order = Order()) async throws -> RequestError {
    let agent = RequestAgent.mocked(by: MockTransport { _ in answer })
    return try await #require(throws: RequestError.self) { try await agent.send(order) }
  }

  private let soldOut = #"{"error_code":"sold_out"}"#

  @Test("The cause is a custom type, decoded like a value, and the kind is unchanged")
  func typed() async throws {
    let error = try await failure(.json(soldOut, status: 409))
    #expect(error.cause(as: ShopProblem.self) == ShopProblem(errorCode: "sold_out"))
    #expect(error.kind == .status && error.status == 409 && error.stage == .validate)
    #expect(error.reason == "status 409 Conflict is not in 200..<300")
    let within = try await failure(
      .json(#"{"error":\#(soldOut)}"#, status: 409),
      Order(validators: [.status(200...299).errorBody(ShopProblem.self, keyPath: "error")]))
    #expect(within.cause(as: ShopProblem.self) == ShopProblem(errorCode: "sold_out"))
  }

  private struct Measuring: ResponseValidator {
    let length: Locked<Int>

    func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
      .refusedWithBody(Refusal("no", kind: .status))
    }

    func refusal(
      _ error: any Error, of response: HTTPResponse, context: RequestContext
    ) async -> any Error {
      length.withLock { $0 = response.body.count }
      return error
    }
  }

  @Test("A validator that refuses a head gets at most 65,536 bytes of the body, even of a single chunk")
  func longChunk() async throws {
    let length = Locked(0)
    let error = try await failure(
      .data(Data(count: 100_000), status: 500), Order(validators: [Measuring(length: length)]))
    #expect(length.withLock { $0 } == 65_536 && error.response?.body.count == 65_536)
    #expect(error.report?.attempts.map(\.bodyLength) == [100_000])
  }

  @Test("Refusals by content type, by shape, or by a closure decode the error body")
  func others() async throws {
    let validators: [(any ResponseValidator, RequestError.Kind)] = [
      (.contentType("text/csv").errorBody(ShopProblem.self), .contentType),
      (.json(["id": .integer]).errorBody(ShopProblem.self), .jsonShape),
      (
        .validate { _, _ in throw Refusal("no", kind: .status) }.errorBody(ShopProblem.self), .status
      ),
      (.head { _, _ in .refusedWithBody(Refusal("no", kind: .status)) }.errorBody(ShopProblem.self), .status),
    ]
    for (validator, kind) in validators {
      let error = try await failure(.json(soldOut), Order(validators: [validator]))
      #expect(error.cause(as: ShopProblem.self) == ShopProblem(errorCode: "sold_out"))
      #expect(error.kind == kind && error.stage == .validate)
    }
    let untyped = try await failure(
      .data(Data(soldOut.utf8)), Order(validators: [.contentType("text/csv").errorBody(ShopProblem.self)]))
    #expect(untyped.cause(as: ShopProblem.self) == ShopProblem(errorCode: "sold_out"))
    struct Own: Error {}
    let own = try await failure(
      .json(soldOut), Order(validators: [.validate { _, _ in throw Own() }.errorBody(ShopProblem.self)]))
    #expect(own.cause(as: Own.self) != nil)
  }

  @Test("A body of another form keeps the refusal, with a note about the failed decoding")
  func other() async throws {
    let page = try await failure(.text("<html>", status: 502))
    #expect(
      page.reason
        == "status 502 Bad Gateway is not in 200..<300; the body is not a valid ShopProblem: the body is not JSON: "
        + "unexpected '<' at line 1, column 1")
    let missing = try await failure(.json("{}", status: 400))
    #expect(
      missing.reason
        == "status 400 Bad Request is not in 200..<300; the body is not a valid ShopProblem: there is no \"errorCode\""
    )
    let empty = try await failure(.status(500))
    #expect(empty.reason == "status 500 Internal Server Error is not in 200..<300")
    for error in [page, missing, empty] {
      #expect(error.cause(as: ShopProblem.self) == nil && error.cause(as: Refusal.self)?.kind == .status)
    }
  }

  @Test("A policy sees the cause, and judges the status as usual")
  func retried() async throws {
    let seen = Recorder()
    var order = Order()
    order.retryPolicy = .upTo(2, backoff: .constant()).when { error in
      seen.add(error.cause(as: ShopProblem.self)?.errorCode ?? "none")
      return error.status == 503
    }
    #expect(try await failure(.json(soldOut, status: 503), order).attempts == 3)
    #expect(seen.events == ["sold_out", "sold_out"])
    order.retryPolicy = .upTo(1, backoff: .constant())
    #expect(try await failure(.json(soldOut, status: 503), order).attempts == 2)
  }

  @Test(
    "A later status validator runs before an earlier body validator, so the status decides on the error body")
  func order() async throws {
    let asked = Recorder()
    let earlier: any ResponseValidator = .validate { _, _ in asked.add("body") }
    let error = try await failure(
      .json(soldOut, status: 422),
      Order(validators: [earlier, .status(200..<300).errorBody(ShopProblem.self)]))
    #expect(asked.events == [] && error.cause(as: ShopProblem.self) != nil)
  }

  @Test("A custom validator creates an error from the refused body")
  func own() async throws {
    struct Maintenance: ResponseValidator {
      func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
        head.headers.contains("X-Maintenance") ? .refusedWithBody(Refusal("maintenance")) : .accepted
      }
      func refusal(
        _ error: any Error, of response: HTTPResponse, context: RequestContext
      ) async -> any Error {
        Refusal(
          "maintenance until \(String(decoding: response.body, as: UTF8.self))", kind: .init("maintenance"),
          cause: AppCause(text: "shut"))
      }
    }
    let error = try await failure(
      .text("noon").header("X-Maintenance", "1"), Order(validators: [Maintenance()]))
    #expect(error.kind.name == "maintenance" && error.reason == "maintenance until noon")
    #expect(error.cause(as: AppCause.self) == AppCause(text: "shut"))
  }

  struct AppCause: Error, Equatable { var text: String }

  @Test(
    "A hook's refusal with another cause also has the decoded cause, and compares without the decoded cause")
  func cause() async throws {
    struct Hook: RequestHooks {
      func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
        throw Refusal("no", kind: .init("own"), cause: AppCause(text: "a"))
      }
    }
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("x") }, hooks: [Hook()])
    let error = try await #require(throws: RequestError.self) { try await agent.send(.get("x")) }
    #expect(error.kind.name == "own" && error.cause as? AppCause == AppCause(text: "a"))
    let (a, b) = (Refusal("no", cause: AppCause(text: "a")), Refusal("no"))
    #expect(a == b && a.hashValue == b.hashValue && a != Refusal("yes"))
  }

  static let problem = #"""
    {"type":"https://example.com/out-of-credit","title":"Out of credit","status":403,"detail":"The balance is 30",
    "instance":"/account/12345","balance":30,"exact":0.1,"big":18446744073709551615,"accounts":["/a","/b"],
    "nested":{"deep":[null,true]}}
    """#

  @Test("A problem of RFC 9457 is a property of the error")
  func problems() async throws {
    let answer = MockAnswer.text(Self.problem, status: 403).header(
      "Content-Type", "application/problem+json; a=b")
    var order = Order()
    order.validators = [.status(200..<300)]
    let problem = try #require(try await failure(answer, order).problem)
    #expect(problem.type == "https://example.com/out-of-credit" && problem.title == "Out of credit")
    #expect(problem.status == 403 && problem.instance == "/account/12345")
    #expect(problem.description == "Out of credit: The balance is 30")
    #expect(problem["balance", as: Int.self] == 30 && problem["balance", as: String.self] == nil)
    #expect(problem["exact", as: Decimal.self] == Decimal(string: "0.1"))
    #expect(problem["big", as: UInt64.self] == .max)
    #expect(problem["accounts", as: [String].self] == ["/a", "/b"])
    #expect(problem["nested", as: [String: [Bool?]].self] == ["deep": [nil, true]])
    #expect(problem["title", as: String.self] == nil && problem["none", as: Int.self] == nil)

    let again = try JSONDecoder().decode(ProblemDetails.self, from: JSONEncoder().encode(problem))
    #expect(again == problem)
  }

  @Test("The problem is the cause if the validator requests it, with any decoder")
  func problemAsCause() async throws {
    let order = Order(validators: [.status(200..<300).errorBody(ProblemDetails.self)])
    let error = try await failure(.json(Self.problem, status: 403), order)
    #expect(error.cause(as: ProblemDetails.self)?.title == "Out of credit")
    #expect(error.problem == nil, "its type is application/json")
  }

  static let bodies: [(String, ProblemDetails?)] = [
    ("{}", ProblemDetails()),
    (
      #"{"type":7,"title":null,"status":"404","detail":["x"],"instance":"/1"}"#,
      ProblemDetails(instance: "/1")
    ),
    (#"{"status":404.5}"#, ProblemDetails()),
    ("[]", nil), ("", nil), ("nonsense", nil), ("{\"title\":\"x\"", nil),
    (String(repeating: "[", count: 100_000), nil), (#"{"a":"# + String(repeating: "[", count: 2_000), nil),
    (#"{"a":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}", nil),
  ]

  @Test(
    "Members of other types are ignored, and a value that is not an object is no problem", arguments: bodies)
  func lenient(_ row: (String, ProblemDetails?)) {
    let response = HTTPResponse(
      status: 400, headers: ["Content-Type": "application/problem+json"], body: Data(row.0.utf8))
    #expect(RequestError(.status, "x", response: response).problem == row.1)
    #expect(RequestError(.status, "x").problem == nil)
  }

  @Test("A stream's refusal also has a cause")
  func streamed() async throws {
    let answer = MockAnswer.json(soldOut, status: 409)
    let agent = RequestAgent.mocked(by: MockTransport { _ in answer })
    let call = OneOffRequest.get("x").with(\.validators, [.status(200..<300).errorBody(ShopProblem.self)])
      .with(\.jsonDecoder, Order().jsonDecoder!)
    let error = try await #require(throws: RequestError.self) { try await agent.stream(call) }
    #expect(error.cause(as: ShopProblem.self)?.errorCode == "sold_out")
  }
}
