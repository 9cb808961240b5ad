#if os(Linux)
import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The headings of Troubleshooting", .timeLimit(.minutes(5)))
struct TroubleshootingTests {
  @Test("The headings in code voice are the messages of the table, in order")
  func headings() throws {
    let page = Compiler.root.appendingPathComponent("Sources/Errand/Errand.docc/Troubleshooting.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    let messages = lines.compactMap { line in
      line.hasPrefix("### `") && line.hasSuffix("`") ? String(line.dropFirst(5).dropLast()) : nil
    }
    #expect(messages == TroubleshootingRow.all.map(\.message))
  }

  @Test("Each message is produced by its cause", arguments: TroubleshootingRow.all)
  func said(_ row: TroubleshootingRow) async throws {
    let said = try await row.produce()
    #expect(row.isExact ? said == row.message : said.contains(row.message), "\(said)")
  }

  @Test("A message that nothing produces is found")
  func noticed() async throws {
    let row = TroubleshootingRow.mocked("there is no such message", .status(404))
    #expect(try await row.produce() == "status 404 Not Found is not in 200..<300")
  }
}
#endif
