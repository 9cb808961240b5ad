import Foundation
import Testing

@testable import Errand

@Suite("The table of Request's members")
struct RequestMemberTests {
  @Test("The table has the properties of the protocol, with their types, in order")
  func complete() throws {
    let file = Compiler.root.appendingPathComponent("Sources/Errand/Protocols/Request.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let declared = text.matches(of: #/\n  var (\w+): (.+) \{ get \}/#).map { "\($0.1): \($0.2)" }
    #expect(declared.count > 25)
    #expect(RequestMember.all.map { "\($0.name): \($0.type)" } == declared)
  }

  @Test("The download table has the properties of its protocol with a default")
  func downloads() throws {
    let file = Compiler.root.appendingPathComponent("Sources/Errand/Transfers/DownloadRequest.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let declared = text.matches(of: #/\n  var (\w+): (.+) \{ get \}/#).map { "\($0.1): \($0.2)" }
    #expect(["destination: URL"] + RequestMember.downloads.map { "\($0.name): \($0.type)" } == declared)
  }

  @Test(
    "A download with a mistyped checksum or resumption is reported, and other requests may have such names"
  )
  func mistyped() {
    struct Export: DownloadRequest {
      let path = "export"
      let destination = URL(fileURLWithPath: "/tmp/export")
      let checksum = FileChecksum.announced
      let resume = true
    }
    struct Good: DownloadRequest {
      let path = "export"
      let destination = URL(fileURLWithPath: "/tmp/export")
      let checksum: FileChecksum? = .announced
      let resumes = true
    }
    struct Other: Request {
      typealias Response = String
      let checksum = "a"
      let resumes = 1
    }
    #expect(
      UnusedProperties(of: Export()).clauses == [
        "`checksum` is FileChecksum; `DownloadRequest.checksum` is FileChecksum?",
        "`resume` is not a member of `DownloadRequest`; `DownloadRequest.resumes` is Bool",
      ])
    #expect(UnusedProperties(of: Good()).clauses == [] && UnusedProperties(of: Other()).clauses == [])
  }

  /// Declares each member with the right type, some with an initial value.
  struct Right<Value: Sendable>: PaginatedRequest {
    typealias Response = [Value]
    let baseURL: URL?
    var path = "users"
    let method: HTTPMethod
    var headers: HTTPHeaders = ["X-Key": "k"]
    let parameters: Parameters = ["a": 1]
    var query: Parameters = [:]
    let body = RequestBody.automatic
    let trailers = RequestTrailers.none
    let requestSerializer: RequestSerializer
    let responseSerializer: any ResponseSerializer<[Value]>
    let jsonCoding: JSONCoding? = .snakeCase
    var jsonDecoder: JSONDecoder?
    let jsonEncoder: JSONEncoder? = nil
    let validators: [any ResponseValidator]
    let retryPolicy = RetryPolicy.none
    var redirectPolicy: RedirectPolicy = .none
    let mockPolicy = MockPolicy.never
    let authentication: Authentication = .none
    let coalescing = CoalescingPolicy.none
    let timeout = Duration.seconds(5)
    let deadline: Duration?
    let priority: RequestPriority = .low
    let limitKey: String? = "tenant"
    let cookies: CookiePolicy = .none
    let networkAccess = NetworkAccess.cellular
    let cachePolicy = CachePolicy.none
    let isSerial = true
    let limits: TransferLimits? = nil
    let usesCDN = false
    let cdnURL: Optional<URL>
    var tag = 7
    let userInfo: [String: any Sendable] = ["a": 1]
    let accessories: [any Accessory]
    let secrets: [Secret] = ["s3cret"]
    let comment: String?
    var urlTemplate: String? = "/users"
    let customRequest: HTTPRequest?
    let idempotencyKey = IdempotencyKey.automatic
    let pagination: Pagination<[Value]>
  }

  struct Serializer<Value: Sendable>: ResponseSerializer {
    func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> [Value] { [] }
  }

  static func right<Value: Sendable>(_ type: Value.Type, deadline: Duration?) -> Right<Value> {
    let url = URL(string: "https://api.example.com")!
    return Right(
      baseURL: url, method: .post, requestSerializer: .json, responseSerializer: Serializer(),
      jsonDecoder: deadline == nil ? nil : JSONDecoder(), validators: [.status(200)], deadline: deadline,
      cdnURL: nil, accessories: [], comment: deadline.map { "\($0)" }, customRequest: nil, pagination: .link)
  }

  @Test("A property with a member's name and type is a witness, and is not reported")
  func right() {
    let checked = [
      UnusedProperties(of: Self.right(Int.self, deadline: nil)),
      UnusedProperties(of: Self.right(String?.self, deadline: .seconds(5))),
      UnusedProperties(of: Self.right(Int.self, deadline: nil).with(\.timeout, .seconds(1))),
    ]
    #expect(checked.flatMap(\.clauses) == [])
    #expect(checked.compactMap(\.message) == [])
    // The mirror can only check stored properties.
    let stored = Set(Mirror(reflecting: Self.right(Int.self, deadline: nil)).children.compactMap(\.label))
    #expect(stored.subtracting(["pagination"]) == Set(RequestMember.all.map(\.name)))
  }

  /// Without the compiler's check for similar types; see ``RequestMembers``.
  protocol UncheckedRequest: Request
  where
    HeadersMember == HTTPHeaders, ParametersMember == Parameters, QueryMember == Parameters,
    BodyMember == RequestBody, TimeoutMember == Duration, MethodMember == HTTPMethod, BaseURLMember == URL?,
    DeadlineMember == Duration?, JSONCodingMember == JSONCoding?, JSONDecoderMember == JSONDecoder?
  {}

  struct Wrong: UncheckedRequest {
    typealias Response = String
    let baseURL = URL(string: "https://api.example.com")!
    let path: String? = nil
    let method = "POST"
    let headers = ["X-Key": "k"]
    let parameters: [String: any Sendable] = ["a": 1]
    let query = [URLQueryItem(name: "a", value: "1")]
    let body = Data()
    let requestSerializer: RequestSerializer? = nil
    let responseSerializer: any ResponseSerializer<Data> = .data
    let jsonCoding = JSONCoding()
    let jsonDecoder = JSONDecoder()
    let jsonEncoder = "snake"
    let validators: [StandardValidator] = []
    let retryPolicy = 3
    let redirectPolicy = false
    let mockPolicy: MockPolicy? = nil
    let authentication = "Bearer s3cret"
    let coalescing = true
    let timeout = 2.5
    let deadline = Duration.seconds(5)
    let priority = 1
    let limitKey = "tenant"
    let cookies = ["a"]
    let networkAccess = false
    let cachePolicy = true
    let isSerial: Bool? = nil
    let limits = TransferLimits()
    let usesCDN = "yes"
    let cdnURL = "https://cdn.example"
    let tag = "a"
    let userInfo = ["a": "b"]
    let accessories: [ConsoleLogger] = []
    let secrets: Set<Secret> = []
    let comment = 5
    let urlTemplate = "/users"
    let customRequest = HTTPRequest(url: URL(string: "https://api.example.com")!)
    let idempotencyKey = "k"
  }

  @Test("A property with a member's name and another type is unused, for every member")
  func wrong() {
    #expect(
      UnusedProperties(of: Wrong()).clauses == [
        "`baseURL` is URL; `Request.baseURL` is URL?",
        "`path` is Optional<String>; `Request.path` is String",
        "`method` is String; `Request.method` is HTTPMethod",
        "`headers` is Dictionary<String, String>; `Request.headers` is HTTPHeaders",
        "`parameters` is Dictionary<String, Any>; `Request.parameters` is Parameters",
        "`query` is Array<URLQueryItem>; `Request.query` is Parameters",
        "`body` is Data; `Request.body` is RequestBody",
        "`requestSerializer` is Optional<RequestSerializer>; `Request.requestSerializer` is RequestSerializer",
        "`responseSerializer` is StandardSerializer<Data>; `Request.responseSerializer` is any ResponseSerializer<Response>",
        "`jsonCoding` is JSONCoding; `Request.jsonCoding` is JSONCoding?",
        "`jsonDecoder` is JSONDecoder; `Request.jsonDecoder` is JSONDecoder?",
        "`jsonEncoder` is String; `Request.jsonEncoder` is JSONEncoder?",
        "`validators` is Array<StandardValidator>; `Request.validators` is [any ResponseValidator]",
        "`retryPolicy` is Int; `Request.retryPolicy` is RetryPolicy",
        "`redirectPolicy` is Bool; `Request.redirectPolicy` is RedirectPolicy",
        "`mockPolicy` is Optional<MockPolicy>; `Request.mockPolicy` is MockPolicy",
        "`authentication` is String; `Request.authentication` is Authentication",
        "`coalescing` is Bool; `Request.coalescing` is CoalescingPolicy",
        "`timeout` is Double; `Request.timeout` is Duration",
        "`deadline` is Duration; `Request.deadline` is Duration?",
        "`priority` is Int; `Request.priority` is RequestPriority",
        "`limitKey` is String; `Request.limitKey` is String?",
        "`cookies` is Array<String>; `Request.cookies` is CookiePolicy",
        "`networkAccess` is Bool; `Request.networkAccess` is NetworkAccess",
        "`cachePolicy` is Bool; `Request.cachePolicy` is CachePolicy",
        "`isSerial` is Optional<Bool>; `Request.isSerial` is Bool",
        "`limits` is TransferLimits; `Request.limits` is TransferLimits?",
        "`usesCDN` is String; `Request.usesCDN` is Bool",
        "`cdnURL` is String; `Request.cdnURL` is URL?",
        "`tag` is String; `Request.tag` is Int",
        "`userInfo` is Dictionary<String, String>; `Request.userInfo` is [String: any Sendable]",
        "`accessories` is Array<ConsoleLogger>; `Request.accessories` is [any Accessory]",
        "`secrets` is Set<Secret>; `Request.secrets` is [Secret]",
        "`comment` is Int; `Request.comment` is String?",
        "`urlTemplate` is String; `Request.urlTemplate` is String?",
        "`customRequest` is HTTPRequest; `Request.customRequest` is HTTPRequest?",
        "`idempotencyKey` is String; `Request.idempotencyKey` is IdempotencyKey",
      ])
  }
}
