import Errand
import ErrandMocks
import Foundation
import Testing

/// Compares the list of events in the guide to accessories with the real events.
@Suite("The events of the documentation")
struct EventListTests {
  private actor Diary: Accessory {
    var lines: [String] = []

    func requestWillStart(_ context: RequestContext) { write("requestWillStart", context) }

    func attemptWillStart(_ context: RequestContext) { write("attemptWillStart", context) }

    func attemptWillSend(_ request: HTTPRequest, context: RequestContext) {
      write("attemptWillSend", context, ": \(request.method) \(request.url)")
    }

    func transferDidProgress(_ progress: TransferProgress, context: RequestContext) {
      write("transferDidProgress", context, ": \(progress)")
    }

    func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) {
      let status = attempt.response.map { "\($0.status)" } ?? "no response"
      write("attemptDidStop", context, ": \(status)\(attempt.retry.map { ", retry in \($0.wait)" } ?? "")")
    }

    func requestWillStop(_ context: RequestContext) { write("requestWillStop", context) }

    func requestDidStop(_ report: ExchangeReport, context: RequestContext) {
      write("requestDidStop", context, ": \(report.outcome)")
    }

    private func write(_ event: String, _ context: RequestContext, _ rest: String = "") {
      lines.append("\(event), attempt \(context.attempt)\(rest)")
    }
  }

  @Test("An accessory gets the listed events in order")
  func order() async throws {
    let diary = Diary()
    let agent = RequestAgent.mocked(
      Stub(.get, "/old", answers: .status(301).header("Location", "/new")),
      Stub(.get, "/new", answers: .status(503).header("Retry-After", "2"), .text("hello")),
      accessories: [diary])
    try await agent.send(OneOffRequest.get("old").with(\.retryPolicy, .upTo(1)))
    #expect(await diary.lines == (try documented()))
  }

  private func documented() throws -> [String] {
    let catalog = DocumentationSamplesTests.catalog
    let page = try DocumentationSamplesTests.text(of: "\(catalog)/WritingAnAccessory.md")
    let blocks = page.components(separatedBy: "\n```\n")
    return try #require(blocks.first { $0.hasPrefix("requestWillStart, ") }).components(separatedBy: "\n")
  }
}
