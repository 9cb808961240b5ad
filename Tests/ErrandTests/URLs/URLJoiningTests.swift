import Foundation
import Testing

@testable import Errand

@Suite("URL joining")
struct URLJoiningTests {
  private func check(_ row: URLRow) throws {
    let url = try URLJoining.url(base: row.base, path: row.path, query: row.query)
    #expect(url.absoluteString == row.result)
  }

  @Test("The path goes under the base, with or without a slash", arguments: URLRow.joined)
  func joins(_ row: URLRow) throws { try check(row) }

  @Test("Paths are kept as written, and encoded if necessary", arguments: URLRow.paths)
  func paths(_ row: URLRow) throws { try check(row) }

  @Test("The queries of base, path and parameters are joined in order", arguments: URLRow.queries)
  func queries(_ row: URLRow) throws { try check(row) }

  @Test("Ports, addresses, user info and international names are kept", arguments: URLRow.authorities)
  func authorities(_ row: URLRow) throws { try check(row) }

  @Test("A data URL is used unchanged", arguments: URLRow.data)
  func data(_ row: URLRow) throws { try check(row) }

  @Test("An invalid URL is refused with this text", arguments: URLRow.refused)
  func refuses(_ row: URLRow) {
    #expect(throws: Refusal(row.result, kind: .invalidURL)) {
      try URLJoining.url(base: row.base, path: row.path, query: row.query)
    }
  }

  @Test("A refusal shows at most 200 characters")
  func longText() throws {
    let refusal = #expect(throws: Refusal.self) {
      try URLJoining.url(base: nil, path: String(repeating: "a", count: 10_000), query: [])
    }
    let shown = String(repeating: "a", count: 200)
    #expect(refusal?.message == "there is no base URL for the path \"\(shown)…\"")
  }
}
