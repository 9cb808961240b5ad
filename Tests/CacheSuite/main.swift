import Errand
import Foundation

/// A request of the suite.
///
/// The suite writes each request as a line of JSON, in any order.
struct Order: Decodable, Sendable {
  let id: Int
  let url: String
  let method: String
  let headers: [[String]]
  let body: String

  /// The request unchanged, without validation or other processing by the agent.
  var request: some Request<HTTPResponse> { Fetch(order: self) }
}

/// The request of an order.
struct Fetch: Request {
  typealias Response = HTTPResponse
  let order: Order

  var customRequest: HTTPRequest? {
    guard let url = URL(string: order.url) else { return nil }
    return HTTPRequest(
      url: url, method: HTTPMethod(order.method),
      headers: HTTPHeaders(order.headers.map { .init(name: $0[0], value: $0[1]) }),
      body: order.body.isEmpty ? .none : .data(Data(order.body.utf8)))
  }
  let validators: [any ResponseValidator] = []
  let redirectPolicy = RedirectPolicy.none
}

/// The result of an order.
struct Answer: Encodable, Sendable {
  let id: Int
  var status = 0
  var headers: [[String]] = []
  var body = ""
  var failure: String?
}

var configuration = AgentConfiguration()
configuration.cache = .memory()
configuration.maxRequestsPerOrigin = 0
let agent = RequestAgent(configuration: configuration)

await withTaskGroup(of: Void.self) { group in
  while let line = readLine() {
    guard let order = try? JSONDecoder().decode(Order.self, from: Data(line.utf8)) else { continue }
    group.addTask {
      var answer = Answer(id: order.id)
      do {
        let response = try await agent.send(order.request)
        answer.status = response.status.code
        answer.headers = response.headers.fields.map { [$0.name, $0.value] }
        answer.body = String(decoding: response.body, as: UTF8.self)
      } catch {
        answer.failure = "\(error)"
      }
      let text = (try? JSONEncoder().encode(answer)) ?? Data()
      FileHandle.standardOutput.write(text + Data("\n".utf8))
    }
  }
}
