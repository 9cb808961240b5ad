import Foundation
import Testing

@testable import Errand

@Suite("Unused stored properties of a request")
struct UnusedPropertiesTests {
  static func clauses(_ request: any Request) -> [String] { UnusedProperties(of: request).clauses }

  @Test("A name similar to a member's with a fitting type is found")
  func near() {
    struct Near: Request {
      typealias Response = String
      let baseUrl = "https://api.example.com"
      let url: URL? = nil
      let httpMethod = HTTPMethod.post
      let header: [String: Int] = [:]
      let params: [String: String] = [:]
      let query_items: [URLQueryItem] = []
      let jsonBody: Data? = nil
      let jsondecoder = JSONDecoder()
      let validator: any ResponseValidator = .status(200)
      let retry = RetryPolicy.upTo(2)
      let redirects = RedirectPolicy.none
      let auth = Authentication.none
      let timeOut: Double? = 5
      let deadLine = Duration.seconds(5)
      let limit = TransferLimits()
      let useCDN = true
      let cdnUrl = "https://cdn.example.com"
      let accessory: any Accessory = ConsoleLogger()
      let idempotenceKey = IdempotencyKey.automatic
      let responseSerialiser: any ResponseSerializer<String> = .text
    }
    let expected = [
      ("baseUrl", "baseURL", "URL?"), ("url", "path", "String"), ("httpMethod", "method", "HTTPMethod"),
      ("header", "headers", "HTTPHeaders"), ("params", "parameters", "Parameters"),
      ("query_items", "query", "Parameters"), ("jsonBody", "body", "RequestBody"),
      ("jsondecoder", "jsonDecoder", "JSONDecoder?"), ("validator", "validators", "[any ResponseValidator]"),
      ("retry", "retryPolicy", "RetryPolicy"), ("redirects", "redirectPolicy", "RedirectPolicy"),
      ("auth", "authentication", "Authentication"), ("timeOut", "timeout", "Duration"),
      ("deadLine", "deadline", "Duration?"), ("limit", "limits", "TransferLimits?"),
      ("useCDN", "usesCDN", "Bool"), ("cdnUrl", "cdnURL", "URL?"),
      ("accessory", "accessories", "[any Accessory]"), ("idempotenceKey", "idempotencyKey", "IdempotencyKey"),
      ("responseSerialiser", "responseSerializer", "any ResponseSerializer<Response>"),
    ]
    #expect(
      Self.clauses(Near())
        == expected.map { "`\($0)` is not a member of `Request`; `Request.\($1)` is \($2)" })
  }

  @Test("Ordinary domain names are not reported, even if a letter makes a member's name")
  func domain() {
    struct Domain: Request {
      typealias Response = String
      let id = 1, page = 2, limit = 3, count = 4, offset = 5, size = 6, retries = 7, version = 8
      let name = "a", text = "b", title = "c", type = "d", key = "e", note = "f", kind = "g", sort = "h"
      let header = "a", headline = "b", comments = "c", host = "d", verb = "e", serial = "f", cdn = "g"
      let part = "a", math = "b", patch = "c", bod = ["d"], tags = ["e"], queries = ["f"], readers = ["g"]
      let data = Data()
      let date: Date? = nil
      let user = ["name": "Ada"]
      let secret: Secret = "s3cret"
      let methods = ["card", "cash"]
      let timeouts = [1.0]
      let base = OneOffRequest.get("a")
    }
    #expect(Self.clauses(Domain()) == [])
  }

  @Test("A similar name is not reported if the member, or an equivalent member, has a value")
  func computed() {
    struct Search: Request {
      typealias Response = String
      let params = ["q": "Ada"]
      let url = "https://api.example.com"
      let timeOut = 5.0
      let header = ["X-Key": "k"]
      let httpMethod = "POST"
      let baseUrl = "https://api.example.com"
      let validator = StandardValidator.status(200)
      var query: Parameters { ["q": params["q"]] }
      var timeout: Duration { .seconds(timeOut) }
      var headers: HTTPHeaders { ["X-Key": header["X-Key"] ?? ""] }
      var method: HTTPMethod { HTTPMethod(httpMethod) }
      var baseURL: URL? { URL(string: baseUrl) }
      var validators: [any ResponseValidator] { [validator] }
    }
    #expect(Self.clauses(Search()) == [])
  }

  @Test(
    "Intended names are declared once, by the type or its base protocol, and overrides forward the declaration"
  )
  func meant() {
    struct AddNote: Request {
      typealias Response = Void
      static let domainProperties: Set<String> = ["comment", "params"]
      let comment = 5
      let params = ["a": "b"]
      let tag = "a"
    }
    struct ListNotes: NotesRequest {
      typealias Response = Void
      let tag = "a"
    }
    let left = ["`tag` is String; `Request.tag` is Int"]
    #expect(Self.clauses(AddNote()) == left)
    #expect(Self.clauses(AddNote().with(\.timeout, .seconds(5))) == left)
    #expect(type(of: AddNote().with(\.timeout, .seconds(5))).domainProperties == ["comment", "params"])
    #expect(Self.clauses(ListNotes()) == [])
    #expect(GroupedUser.domainProperties == [])
  }

  struct GroupedUser: Request { typealias Response = String }

  @Test("Wrapped properties, enum cases, objects and types with a custom mirror are skipped")
  func others() {
    struct Wrapped: Request {
      typealias Response = String
      typealias TimeoutMember = Duration
      @Doubled var timeout = 2.0
    }
    enum Cases: Request {
      typealias Response = String
      case timeout(Double), headers([String: String])
    }
    final class Object: Request {
      typealias Response = String
      typealias HeadersMember = HTTPHeaders
      let headers = ["a": "b"]
    }
    struct Mirrored: Request, CustomReflectable {
      typealias Response = String
      typealias HeadersMember = HTTPHeaders
      let headers = ["a": "b"]
      var customMirror: Mirror {
        Issue.record("it was asked for its mirror")
        return Mirror(self, children: [])
      }
    }
    let requests: [any Request] = [
      Wrapped(), Cases.timeout(5), Cases.headers([:]), Object(), Mirrored(), OneOffRequest.get("a"),
    ]
    #expect(requests.flatMap(Self.clauses) == [])
  }

  @Test("The message names the type and the remedy")
  func message() {
    struct GetUser: Request {
      typealias Response = String
      typealias HeadersMember = HTTPHeaders
      let headers = ["X-Key": "s3cret"]
      let timeOut = 5
    }
    let text = """
      GetUser has stored properties that Errand ignores:
        `headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders
        `timeOut` is not a member of `Request`; `Request.timeout` is Duration
      Give each property the name and the type of the protocol member, or list the name in domainProperties.
      """
    #expect(UnusedProperties(of: GetUser()).message == text)
    #expect(UnusedProperties(of: GetUser().with(\.comment, "a")).message == text)
    #expect(UnusedProperties(of: PlainRequest()).message == nil)
  }

  @Test("A debug build prints the message once per type on standard error")
  func told() async throws {
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    let (status, output) = try await Compiler.run(probe.path, ["mistakes"])
    let expected = ["Double", "Int"].map {
      """
      Errand: Careless<\($0)> has stored properties that Errand ignores:
        `headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders
      Give each property the name and the type of the protocol member, or list the name in domainProperties.

      """
    }
    #expect(output == (DebugLog.isOn ? expected.joined() : ""))
    #expect(status == 0)
  }

  @Test(
    "A property outside of a custom mirror is not read, such as an unowned reference to a released object")
  func unowned() {
    final class Owner: Sendable {}
    struct Owned: Request, CustomReflectable {
      typealias Response = Void
      unowned let owner: Owner
      let token = Secret("t0ken")
      let path = "renamed"
      var customMirror: Mirror { Mirror(self, children: ["token": token]) }
    }
    let request = { Owned(owner: Owner()) }()
    #expect(Self.clauses(request).isEmpty)
    #expect(SecretFinder.secrets(of: request) == [Secret("t0ken")])
  }
}

private protocol NotesRequest: Request {}

extension NotesRequest {
  static var domainProperties: Set<String> { ["tag"] }
}

@propertyWrapper
private struct Doubled: Sendable {
  private var half: Double
  var wrappedValue: Double {
    get { half * 2 }
    set { half = newValue / 2 }
  }
  init(wrappedValue: Double) { half = wrappedValue / 2 }
}
