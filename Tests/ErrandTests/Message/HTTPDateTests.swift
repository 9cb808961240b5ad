import Foundation
import Testing

@testable import Errand

@Suite("A date of a header") struct HTTPDateTests {
  let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(
    "The three formats of RFC 9110 are read",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), (" Thu, 01 Jan 1970 00:00:00 GMT ", 0),
      ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
      ("Thursday, 21-Oct-77 07:28:00 GMT", 3_402_026_880), ("Saturday, 21-Oct-78 07:28:00 GMT", 277_802_880),
      ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ] as [(String, Double)])
  func formats(text: String, seconds: Double) {
    #expect(HTTPDate.parse(text, now: now)?.timeIntervalSince1970 == seconds)
  }

  @Test(
    "An invalid text, or a day or time that does not exist, is nil",
    arguments: [
      "", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
      "Sun, 31 Nov 1994 08:49:37 GMT",
      "Wed, 29 Feb 2023 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:00:61 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
      "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 ٠٨:49:37 GMT",
      "Sun, 06 Bla 1994 08:49:37 GMT", "1994-11-06T08:49:37Z", "120", "-1",
    ])
  func none(text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test("A date is written as an IMF-fixdate")
  func format() {
    #expect(HTTPDate.format(Date(timeIntervalSince1970: 784_111_777.9)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.format(Date(timeIntervalSince1970: -0.5)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(HTTPDate.format(.distantPast) == "Mon, 01 Jan 0001 00:00:00 GMT")
  }

  @Test(
    "A date is clamped to the writable years",
    arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300])
  func extremes(seconds: Double) {
    let text = HTTPDate.format(Date(timeIntervalSince1970: seconds))
    #expect(HTTPDate.parse(text) != nil)
  }

  @Test("Thousands of dates round-trip, with the right day of the week")
  func roundTrip() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<5000 {
      let seconds = Double(Int.random(in: -62_135_596_800...253_402_300_799, using: &random))
      let text = HTTPDate.format(Date(timeIntervalSince1970: seconds))
      #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds, "\(text)")
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for _ in 0..<2000 {
      let date = Date(timeIntervalSince1970: Double(Int.random(in: 0...253_402_300_799, using: &random)))
      let weekday = calendar.component(.weekday, from: date)
      #expect(HTTPDate.format(date).hasPrefix(HTTPDate.days[weekday - 1]))
    }
  }

  @Test("Any text is read without a crash")
  func random() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<10_000 {
      var bytes = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
      for _ in 0..<random.below(4) {
        bytes[random.below(bytes.count)] = random.pick(Array(" ,-:019aG\u{0}".utf8))
      }
      _ = HTTPDate.parse(String(decoding: bytes, as: UTF8.self))
      _ = HTTPDate.parse(HTTPHeaders.decode(random.bytes(upTo: 40)))
    }
  }
}
