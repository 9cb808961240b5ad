public import Errand
import ErrandMocks
import Foundation

extension RequestAgent {
  /// Creates an agent with a response for each endpoint of both consumers.
  public static func forConsumers(
    hooks: [any RequestHooks] = [], accessories: [any Accessory] = []
  ) -> RequestAgent {
    let user = #"{"id":7,"name":"Ada"}"#
    let transport = MockTransport([
      Stub(.get, "/users/7", answers: .json(user)),
      Stub(.get, "/v1/users/1", answers: .json(user)),
      Stub(.get, "/v1/users", answers: .json("[\(user)]")),
      Stub(.get, "/v1/search", answers: .json("[\(user)]")),
      Stub(.post, "/v1/raw", answers: .data(Data([1, 2, 3]), contentType: "application/octet-stream")),
      Stub(.get, "/v1/a", answers: .text("text")),
      Stub(.delete, "/v1", answers: .status(204)),
      Stub(.get, "/v1/maybe", answers: .status(204)),
      Stub(.get, "/v1/pages", answers: .json(#"{"items":[\#(user)]}"#)),
      Stub(.post, "/v1/login", answers: .json(#"{"token":"t"}"#)),
      Stub(.get, "/v1/custom", answers: .status(503), .json("{}")),
      Stub(.get, "/v1/point", answers: .text("12345")),
      Stub(.get, "/v1/linked", answers: .json("[\(user)]").header("Link", "</v1/users>; rel=next")),
      Stub(.get, "/v1/cursor", answers: .json(#"{"items":[\#(user)],"next":"b"}"#), .json(#"{"items":[]}"#)),
      Stub(.head, "/v1/head", answers: .status(204).header("X-Head", "1")),
    ])
    return RequestAgent(
      baseURL: "https://api.example.com", transport: transport, hooks: hooks, accessories: accessories)
  }
}
