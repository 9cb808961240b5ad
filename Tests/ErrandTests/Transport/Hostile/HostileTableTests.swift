#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("What a hostile server can do", .timeLimit(.minutes(5)))
struct HostileTableTests {
  struct Ask: Request {
    typealias Response = HTTPResponse
    let path: String
    var timeout = Duration.seconds(20)
  }

  @Test("Each action has its result, and the next request works", arguments: HostileRow.testable)
  func fixedResult(_ row: HostileRow) async throws {
    let server = try MockServer()
    server.route(.get, "/hostile", answers: row.answer)
    server.route(.get, "/good", answers: .text("good"))
    let agent = RequestAgent(baseURL: server.baseURL, transport: CurlTransport())
    let result = await Self.result(Ask(path: "hostile", timeout: row.timeout), on: agent)
    #expect(result.replacing("127.0.0.1:\(server.port)", with: "{peer}") == row.result)
    #expect(await Self.result(Ask(path: "good"), on: agent) == "success: 200 good")
    #expect(server.requests.map(\.target) == ["/hostile", "/good"])
    #expect(agent.liveCount == 0)
  }

  @Test("The documentation has the same rows in the same order")
  func documented() throws {
    let page = Compiler.root
      .appendingPathComponent("Sources/Errand/Errand.docc/WhatAHostileServerCanDo.md")
    let sections = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## ")
    let overview = try #require(sections.first { $0.hasPrefix("Overview") })
    let rows = overview.split(separator: "\n").filter { $0.hasPrefix("| ") }
    #expect(rows.dropFirst().map(String.init) == HostileRow.all.map(\.documentation))
  }

  static func result(_ request: Ask, on agent: RequestAgent) async -> String {
    do {
      let response = try await agent.send(request)
      var text = "success: \(response.status.code) \(String(decoding: response.body, as: UTF8.self))"
      if let odd = response.headers["X-Odd"] { text += "; X-Odd: \(odd)" }
      for field in response.trailers.fields { text += "; trailer \(field.name): \(field.value)" }
      return text
    } catch let error as RequestError {
      let received = error.response.map {
        " [\($0.status.code): \(String(decoding: $0.body, as: UTF8.self))]"
      }
      return "\(error.kind): \(error.reason)\(received ?? "")"
    } catch {
      return "\(error)"
    }
  }
}
#endif
