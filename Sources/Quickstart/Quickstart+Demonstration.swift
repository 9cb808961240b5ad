import Errand
import ErrandMocks

extension Quickstart {
  static func demonstrate(_ accessories: [any Accessory]) async throws {
    let server = try MockServer()
    defer { server.stop() }
    server.route(.get, "/users/7", answers: .json(#"{"id":7,"name":"Ada"}"#))
    server.route(.post, "/greetings") { .text("The server got \($0.text)") }
    server.route(.get, "/stock", answers: .status(503), .status(503), .json(#"{"left":3}"#))

    let agent = RequestAgent(baseURL: server.baseURL, accessories: [ConsoleLogger()] + accessories)

    print("-- a typed GET")
    let user = try await agent.send(GetUser(id: 7))
    print("user \(user.id) is \(user.name)\n")

    print("-- a POST of a form")
    print(try await agent.send(Greet(name: "Ada", greeting: "good morning")), terminator: "\n\n")

    print("-- a GET with two 503 answers and a retry after each")
    let stock = try await agent.response(for: GetStock())
    print("\(stock.value.left) left. The report of the dispatch:\n\(stock.report)")
  }
}
