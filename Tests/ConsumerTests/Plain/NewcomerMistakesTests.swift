import Errand
import ErrandMocks
import ErrandTesting
import Foundation
import Testing

/// Common mistakes of newcomers that compile.
///
/// Mistakes that the compiler refuses are in the tests of compiler messages.
private enum Careless {
  struct Headers: CarelessRequest { let headers = ["X-Key": "k"] }
  struct Timeout: CarelessRequest { let timeout = 5.0 }
  struct WholeTimeout: CarelessRequest { var timeout = 5 }
  struct Method: CarelessRequest { let method = "POST" }
  struct Deadline: CarelessRequest { let deadline = Duration.seconds(5) }
  struct Base: CarelessRequest { let baseURL = URL(string: "https://api.example.com")! }
  struct TextBase: CarelessRequest { let baseURL = "https://api.example.com" }
  struct Decoder: CarelessRequest { let jsonDecoder = JSONDecoder() }
  struct CDN: CarelessRequest { let cdnURL = URL(string: "https://cdn.example.com")! }
  struct Limits: CarelessRequest { let limits = TransferLimits() }
  struct DataBody: CarelessRequest { let body = Data("{}".utf8) }
  struct ModelBody: CarelessRequest { let body = User(id: 7, name: "Ada") }
  struct Dictionary: CarelessRequest { let parameters = ["q": "Ada"] }
  struct Mixed: CarelessRequest { let parameters: [String: any Sendable] = ["q": "Ada", "page": 1] }
  struct Retries: CarelessRequest { let retryPolicy = 3 }
  struct Items: CarelessRequest { let query = [URLQueryItem(name: "q", value: "Ada")] }
  struct Validators: CarelessRequest { let validators: any ResponseValidator = .status(200) }
  struct Serializer: CarelessRequest { let responseSerializer: any ResponseSerializer<Data> = .data }
  struct Authorization: CarelessRequest { let authentication = "Bearer a-123" }
  struct Header: CarelessRequest { let header = ["X-Key": "k"] }
  struct TimeOut: CarelessRequest { let timeOut = 5.0 }
  struct Validator: CarelessRequest { let validator: any ResponseValidator = .status(200) }
  struct Params: CarelessRequest { let params = ["q": "Ada"] }
  struct HTTPVerb: CarelessRequest { let httpMethod = "POST" }
  struct QueryParameters: CarelessRequest { let queryParameters = ["q": "Ada"] }
  struct BaseUrl: CarelessRequest { let baseUrl = "https://api.example.com" }
  struct Place: CarelessRequest { let url = "users/7" }

  static let told: [(any Request, String)] = [
    (Headers(), "`headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders"),
    (Timeout(), "`timeout` is Double; `Request.timeout` is Duration"),
    (WholeTimeout(), "`timeout` is Int; `Request.timeout` is Duration"),
    (Method(), "`method` is String; `Request.method` is HTTPMethod"),
    (Deadline(), "`deadline` is Duration; `Request.deadline` is Duration?"),
    (Base(), "`baseURL` is URL; `Request.baseURL` is URL?"),
    (TextBase(), "`baseURL` is String; `Request.baseURL` is URL?"),
    (Decoder(), "`jsonDecoder` is JSONDecoder; `Request.jsonDecoder` is JSONDecoder?"),
    (CDN(), "`cdnURL` is URL; `Request.cdnURL` is URL?"),
    (Limits(), "`limits` is TransferLimits; `Request.limits` is TransferLimits?"),
    (DataBody(), "`body` is Data; `Request.body` is RequestBody"),
    (ModelBody(), "`body` is User; `Request.body` is RequestBody"),
    (Dictionary(), "`parameters` is Dictionary<String, String>; `Request.parameters` is Parameters"),
    (Mixed(), "`parameters` is Dictionary<String, Any>; `Request.parameters` is Parameters"),
    (Retries(), "`retryPolicy` is Int; `Request.retryPolicy` is RetryPolicy"),
    (Items(), "`query` is Array<URLQueryItem>; `Request.query` is Parameters"),
    (Validators(), "`validators` is StandardValidator; `Request.validators` is [any ResponseValidator]"),
    (
      Serializer(),
      "`responseSerializer` is StandardSerializer<Data>; `Request.responseSerializer` is any ResponseSerializer<Response>"
    ),
    (Authorization(), "`authentication` is String; `Request.authentication` is Authentication"),
    (Header(), "`header` is not a member of `Request`; `Request.headers` is HTTPHeaders"),
    (TimeOut(), "`timeOut` is not a member of `Request`; `Request.timeout` is Duration"),
    (
      Validator(), "`validator` is not a member of `Request`; `Request.validators` is [any ResponseValidator]"
    ),
    (Params(), "`params` is not a member of `Request`; `Request.parameters` is Parameters"),
    (HTTPVerb(), "`httpMethod` is not a member of `Request`; `Request.method` is HTTPMethod"),
    (QueryParameters(), "`queryParameters` is not a member of `Request`; `Request.query` is Parameters"),
    (BaseUrl(), "`baseUrl` is not a member of `Request`; `Request.baseURL` is URL?"),
    (Place(), "`url` is not a member of `Request`; `Request.path` is String"),
  ]

  struct Computed: CarelessRequest { var tag: String { "a" } }
  struct Static: CarelessRequest { static let timeout = 5.0 }
  struct Hook: CarelessRequest {
    func completed(_ outcome: Outcome<String>, context: RequestContext) async throws {}
  }
  final class Object: CarelessRequest { let tag = "a" }

  /// The mistakes that Errand cannot detect, according to the README.
  static let silent: [any Request] = [Computed(), Static(), Hook(), Object()]
}

/// Fixes the member types, so the mirror finds mistakes that the compiler otherwise refuses; see
/// ``RequestMembers``.
private protocol CarelessRequest: Request
where
  Response == String, HeadersMember == HTTPHeaders, ParametersMember == Parameters, QueryMember == Parameters,
  BodyMember == RequestBody, TimeoutMember == Duration, MethodMember == HTTPMethod, BaseURLMember == URL?,
  DeadlineMember == Duration?, JSONCodingMember == JSONCoding?, JSONDecoderMember == JSONDecoder?
{}

@Suite("The mistakes of a newcomer")
struct NewcomerMistakesTests {
  let agent = RequestAgent.mocked(by: MockTransport { _ in .text("Ada") })

  @Test("Each mistake that compiles is listed by explain", arguments: Careless.told.indices)
  func explained(_ index: Int) async throws {
    let (request, clause) = Careless.told[index]
    let explanation = try await agent.explain(request)
    #expect(explanation.unusedProperties == [clause])
    #expect(explanation.description.hasSuffix("\nnot used: \(clause)"))
  }

  @Test(
    "Each mistake is an issue of the first mocked test that dispatches the request",
    .mocked(by: { MockTransport { _ in .text("Ada") } }), arguments: Careless.told.indices)
  func told(_ index: Int) async throws {
    let (request, clause) = Careless.told[index]
    try await withKnownIssue {
      _ = try await agent.send(request)
    } matching: { issue in
      issue.comments.map(\.rawValue).joined().contains(
        " has stored properties that Errand ignores:\n  \(clause)\n")
    }
  }

  @Test(
    "Members outside the mirror are not reported", .mocked(by: { MockTransport { _ in .text("Ada") } }),
    arguments: Careless.silent.indices)
  func silent(_ index: Int) async throws {
    #expect(try await agent.explain(Careless.silent[index]).unusedProperties == [])
    _ = try await agent.send(Careless.silent[index])
  }
}
