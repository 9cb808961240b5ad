import Foundation
import Testing

@testable import Errand

@Suite("Dates in JSON")
struct JSONDatesTests {
  static let date = Date(timeIntervalSince1970: 1_795_255_200)

  static func coders(_ dates: JSONDates) -> RequestAgent.Configuration {
    var configuration = RequestAgent.Configuration()
    configuration.setJSONDates(dates)
    return configuration
  }

  static let rows: [(JSONDates, String)] = [
    (.iso8601, #"["2026-11-21T10:00:00Z"]"#),
    (.secondsSince1970, "[1795255200]"),
    (.millisecondsSince1970, "[1795255200000]"),
  ]

  @Test("A date is written and read in the chosen form", arguments: rows)
  func bothWays(_ row: (JSONDates, String)) throws {
    let coders = Self.coders(row.0)
    #expect(String(decoding: try coders.jsonEncoder.encode([Self.date]), as: UTF8.self) == row.1)
    #expect(try coders.jsonDecoder.decode([Date].self, from: Data(row.1.utf8)) == [Self.date])
  }

  @Test("ISO 8601 is read with fractions and offsets too")
  func variants() throws {
    let text = #"["2026-11-21T10:00:00.25Z","2026-11-21T12:00:00.25+02:00","2026-11-21T11:30:00+01:30"]"#
    let dates = try Self.coders(.iso8601).jsonDecoder.decode([Date].self, from: Data(text.utf8))
    #expect(dates.map { $0.timeIntervalSince(Self.date) } == [0.25, 0.25, 0])
  }

  @Test(
    "What is no date, or has more behind it, is refused and named",
    arguments: ["tomorrow", "2026-11-21T10:00:00Zero"])
  func refused(_ text: String) throws {
    let decoder = Self.coders(.iso8601).jsonDecoder
    let error = try #require(throws: DecodingError.self) {
      try decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(context.debugDescription == "\"\(text)\" is not an ISO 8601 date")
    #expect(context.codingPath.map(\.intValue) == [0])
  }
}
