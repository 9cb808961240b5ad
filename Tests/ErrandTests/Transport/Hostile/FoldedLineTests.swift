#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("A head that begins with a folded line")
struct FoldedLineTests {
  struct Ask: Request {
    typealias Response = HTTPResponse
    let path: String
    var validators: [any ResponseValidator] { [] }
  }

  @Test(
    "A folded first line does not affect the previous response; libcurl before 8.2 wrote to freed memory",
    arguments: ["", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"])
  func folded(_ informational: String) async throws {
    let server = try MockServer()
    server.route(.get, "/good", answers: .text("good").header("X-Last", String(repeating: "v", count: 40)))
    let tail = String(repeating: "w", count: 100)
    server.route(
      .get, "/folded",
      answers: .raw(
        .send("\(informational)HTTP/1.1 200 OK\r\n \(tail)\r\nContent-Length: 2\r\n\r\nok"), .close))
    let agent = RequestAgent(baseURL: server.baseURL)
    for _ in 0..<100 {
      #expect(try await agent.send(Ask(path: "good")).body == Data("good".utf8))
      // Newer versions of libcurl read the folded line as a field.
      do {
        #expect(try await agent.send(Ask(path: "folded")).body == Data("ok".utf8))
      } catch let error as RequestError {
        #expect(error.kind == .invalidResponse)
      }
    }
    #expect(server.requestCount == 200)
    #expect(agent.liveCount == 0)
  }
}
#endif
