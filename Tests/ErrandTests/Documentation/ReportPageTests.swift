import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// Compares the table in the guide to reports with the printed report.
@Suite("The report of the documentation", .timeLimit(.minutes(5)))
struct ReportPageTests {
  @Test("A dispatch as described prints the report")
  func table() async throws {
    let agent = ReportedExchange.agent(TestClock(autoAdvances: true), { $0.retryPolicy = .upTo(3) }) {
      request in
      switch request.number {
      case 1: .text("busy", status: 503).header("Retry-After", "3").delayed(by: .milliseconds(250))
      case 2: .failure(TransportError(.connectionLost, "the connection broke"))
      case 3: .status(302).header("Location", "/shelf")
      default: .status(404)
      }
    }
    let error = await #expect(throws: RequestError.self) {
      try await agent.send(ReportedExchange.Fetch("stock?token=hunter2"))
    }
    let page = try DocumentationSamplesTests.text(
      of: "\(DocumentationSamplesTests.catalog)/ReadingAReport.md")
    let blocks = page.components(separatedBy: "\n```\n")
    let printed = try "\(#require(error?.report))"
    #expect(printed == blocks.first { $0.hasPrefix("Request 1: ") })
  }
}
