import Errand

struct User: Decodable, Sendable {
  var id: Int
  var name: String
}

struct GetUser: Request {
  typealias Response = User
  var id: Int
  var path: String { "users/\(id)" }
}

struct Greet: Request {
  typealias Response = String
  var name: String
  var greeting: String

  let path = "greetings"
  let method = HTTPMethod.post
  var parameters: Parameters { ["name": name, "greeting": greeting] }
}

struct GetStock: Request {
  struct Response: Decodable, Sendable { var left: Int }

  let path = "stock"
  let comment: String? = "the server is busy twice"
  var retryPolicy: RetryPolicy {
    .upTo(3, backoff: .exponential(first: .milliseconds(100)...(.milliseconds(200))))
  }
}
