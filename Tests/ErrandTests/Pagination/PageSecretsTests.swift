import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Secrets and pages", .timeLimit(.minutes(5)))
struct PageSecretsTests {
  struct Page: Decodable, Sendable { var next: String? }

  /// Copies the request's secret id into the links, under another name.
  static func echoing(_ link: String) -> MockTransport {
    MockTransport { request in
      guard request.number == 1 else { return .text("no page for installation-42", status: 500) }
      return .json("{\"next\": \"\(link)\"}").header("Link", "<\(link)>; rel=next")
    }
  }

  static let link = "/v1/items/installation-42?app=installation-42&page=2"

  @Test(
    "A secret that a server copies into its next link is redacted on the next page",
    arguments: [Pagination<Page>.link, .nextURL(\.next), .init { _ in .query(["page": 2]) }])
  func nextPage(_ pagination: Pagination<Page>) async throws {
    let log = Locked([String]())
    let logger = ConsoleLogger(level: .headers) { text in log.withLock { $0.append(text) } }
    let agent = RequestAgent(
      baseURL: "https://a.example/v1", transport: Self.echoing(Self.link), accessories: [logger])
    let first = OneOffRequest.get("items", query: ["id": Secret("installation-42")], as: Page.self)
    var pages = 0
    let error = try await #require(throws: RequestError.self) {
      for try await _ in agent.pages(of: first, by: pagination) { pages += 1 }
    }
    #expect(pages == 1 && error.status == 500)
    let report = try #require(error.report)
    let json = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    let printed = ["\(error)", "\(report)", json, log.withLock { $0.joined(separator: "\n") }]
    for text in printed {
      #expect(text.contains("page=2") && text.contains("<redacted>") && !text.contains("installation-42"))
    }
  }

  @Test("Values stored by the agent's hooks are redacted in the errors of a walk")
  func hooks() async throws {
    struct Tenant: RequestHooks { let code = Secret("tenant-4711") }
    let transport = MockTransport { _ in
      .text("here").header("Link", "<https://b.example/tenant-4711/2>; rel=next")
    }
    let agent = RequestAgent(baseURL: "https://a.example", transport: transport, hooks: [Tenant()])
    let error = try await #require(throws: RequestError.self) {
      for try await _ in agent.pages(of: .get("items", as: String.self), by: .link) {}
    }
    #expect(
      error.reason == "the next page, https://b.example/<redacted>/2, has another origin than the first page")
  }
}
