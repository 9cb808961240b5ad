import Foundation

enum ISO8601Text {
  static let plainLength: UInt32 = 20

  static func date(_ text: String, isStrict: Bool) -> Date? {
    guard isStrict else { return try? Date.ISO8601FormatStyle().parse(text) }
    guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || "-+:.TZ".utf8.contains($0) }) else { return nil }
    return whole(text, by: Date.ISO8601FormatStyle())
      ?? whole(text, by: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  private static func whole(_ text: String, by style: Date.ISO8601FormatStyle) -> Date? {
    guard
      let found = try? style.consuming(
        text, startingAt: text.startIndex, in: text.startIndex..<text.endIndex),
      found.upperBound == text.endIndex
    else { return nil }
    return found.output
  }

  static func decode(_ decoder: any Decoder) throws -> Date {
    let text = try decoder.singleValueContainer().decode(String.self)
    if let date = date(text, isStrict: true) { return date }
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "\"\(text)\" is not an ISO 8601 date"))
  }

  /// Parses a 20-byte text such as `2026-11-21T10:00:00Z`.
  ///
  /// Returns `nil` for an invalid date. Some dates, such as the 29th of a month, also give `nil`: Foundation
  /// parses such dates.
  static func plainDate(_ text: UnsafePointer<UInt8>) -> Date? {
    func pair(_ index: Int) -> Int? {
      let (tens, ones) = (text[index] &- 0x30, text[index &+ 1] &- 0x30)
      return tens < 10 && ones < 10 ? Int(tens) &* 10 &+ Int(ones) : nil
    }
    guard text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54, text[13] == 0x3A, text[16] == 0x3A,
      text[19] == 0x5A,
      let century = pair(0), let years = pair(2), let month = pair(5), let day = pair(8), let hour = pair(11),
      let minute = pair(14), let second = pair(17)
    else { return nil }
    let year = century * 100 + years
    guard year >= 1583, 1...12 ~= month, 1...28 ~= day, hour < 24, minute < 60, second < 60 else {
      return nil
    }
    let seconds = days(to: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds))
  }

  /// Returns the days since 1970.
  ///
  /// Years begin in March, so that a leap day is the last day of a year.
  private static func days(to year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let (era, ofEra) = (year / 400, year % 400)
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
