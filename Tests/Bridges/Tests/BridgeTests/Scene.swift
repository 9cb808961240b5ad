import Errand
import ErrandMocks
import Foundation

/// The requests that all bridges observe.
///
/// One request fails twice, is redirected, and then succeeds. Another request fails finally.
enum Scene {
  static let canary = "c4nary-s3cret"

  struct GetUser: Request {
    typealias Response = Data
    var id: Int
    var path: String { "users/\(id)" }
    let query: Parameters = ["token": canary]
    let headers: HTTPHeaders = ["Authorization": "Bearer \(canary)", "X-Kind": "test"]
    let retryPolicy = RetryPolicy.upTo(2, backoff: .constant(.zero))
  }

  /// Creates the server of the scene.
  static func server() throws -> MockServer {
    let server = try MockServer()
    server.route(
      .get, "/users/7", answers: .status(503), .status(503), .status(302).header("Location", "/people/7"))
    server.route(.get, "/people/7") { request in
      // The body repeats the secret.
      .json(#"{"id":7,"token":"\#(canary)"}"#).header("X-Trace", "t1")
    }
    server.route(.get, "/users/8", answers: .text("no \(canary) here", status: 404))
    return server
  }

  static func agent(
    _ server: MockServer, hooks: [any RequestHooks] = [], accessories: [any Accessory] = []
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.retryBudget = .unlimited
    return RequestAgent(
      baseURL: server.baseURL, hooks: hooks, accessories: accessories, configuration: configuration)
  }
}
