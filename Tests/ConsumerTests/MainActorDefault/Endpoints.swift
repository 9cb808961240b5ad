import Errand
import Foundation

nonisolated struct User: Codable, Sendable, Equatable {
  var id: Int
  var name: String
}

nonisolated protocol AppRequest: Request {}

nonisolated extension AppRequest {
  var baseURL: URL? { URL(string: "https://api.example.com/v1") }
  var headers: HTTPHeaders { ["X-App": "1"] }
  var validators: [any ResponseValidator] {
    [
      .status(200..<400), .contentType("application/json", "text/*", "application/octet-stream"),
      .contentType,
    ]
  }
  var timeout: Duration { .milliseconds(250) }
  var jsonDecoder: JSONDecoder? {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }
}

struct GetUser: Request {
  typealias Response = User
  var id: Int
  var path: String { "users/\(id)" }
}

enum UserAPI: AppRequest {
  typealias Response = [User]
  case list, search(String)
  var path: String {
    switch self {
    case .list: "users"
    case .search: "search"
    }
  }
  var parameters: Parameters {
    switch self {
    case .list: [:]
    case .search(let text): ["q": text]
    }
  }
}

struct Raw: AppRequest {
  typealias Response = Data
  let path = "raw"
  let method = HTTPMethod.post
  let timeout = Duration.seconds(3)
}

struct Text: AppRequest {
  typealias Response = String
  let path: String
}

struct Fire: AppRequest {
  typealias Response = Void
  let method: HTTPMethod = .delete
  var tag = 4
}

struct Maybe: AppRequest {
  typealias Response = User?
  var path: String { "maybe" }
}

struct Get<Body: Decodable & Sendable>: AppRequest {
  typealias Response = Body
  var path: String
}

nonisolated struct Page<Item: Decodable & Sendable>: Decodable, Sendable { var items: [Item] }

struct GetPage<Item: Decodable & Sendable>: AppRequest {
  typealias Response = Page<Item>
  var page: Int
  let path = "pages"
  var parameters: Parameters { ["page": page] }
}

struct Login: AppRequest {
  struct Response: Decodable, Sendable { var token: String }
  var name: String
  var path: String { "login" }
  var method: HTTPMethod { .post }
  var authentication: Authentication { .none }
  var body: RequestBody { .json(["name": name]) }
}

struct Custom: AppRequest {
  typealias Response = User
  let path = "custom"
  var validators: [any ResponseValidator] { [.status(200..<201)] }
  var retryPolicy: RetryPolicy { .upTo(3) }
  var responseSerializer: any ResponseSerializer<User> { .json(keyPath: "data") }

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    request.headers["X-Sig"] = "a"
  }
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) throws {
    response.body = Data(#"{"data":{"id":1,"name":"a"}}"#.utf8)
  }
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) -> RetryPolicy.Decision { context.attempt < 2 ? .retry(after: .zero) : .stop }
  func filter(_ outcome: Outcome<User>, context: RequestContext) async -> Outcome<User> { outcome }
}

struct OnMain: AppRequest {
  typealias Response = User?
  let path = "maybe"
  let seen: Log

  @MainActor func completed(_ outcome: Outcome<User?>, context: RequestContext) {
    MainActor.assertIsolated()
    seen.add("completed")
  }
  @MainActor func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    MainActor.assertIsolated()
    seen.add("filterRequest")
    request.headers["a"] = "b"
  }
}

struct Inferred: AppRequest {
  var path: String { "users/1" }
  var responseSerializer: any ResponseSerializer<User> { .json() }
}

struct Inferred2: Request {
  var path: String { "v1/users" }
  func completed(_ outcome: Outcome<[User]>, context: RequestContext) async {}
}

nonisolated struct Point: Sendable, Equatable { var x = 0 }

struct PointSerializer: ResponseSerializer {
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Point {
    Point(x: response.body.count)
  }
}

struct GetPoint: AppRequest {
  typealias Response = Point
  let path = "point"
  var responseSerializer: any ResponseSerializer<Point> { PointSerializer() }
}

struct Head: AppRequest {
  typealias Response = HTTPResponse
  let path = "head"
  let method = HTTPMethod.head
}

struct Linked: AppRequest, PaginatedRequest {
  typealias Response = [User]
  let path = "linked"
  var pagination: Pagination<[User]> { .link.limited(to: 9) }
}

struct Cursored: AppRequest, PaginatedRequest {
  struct Response: Decodable, Sendable {
    var items: [User]
    var next: String?
  }
  let path = "cursor"
  var pagination: Pagination<Response> { .cursor("after", \.next) }
}
