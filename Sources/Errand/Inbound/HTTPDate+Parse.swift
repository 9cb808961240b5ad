import Foundation

extension HTTPDate {
  /// Reads an IMF-fixdate, an RFC 850 date or an asctime date; `nil` when the text is none of them, or names a day
  /// or time that does not exist.
  ///
  /// The name of the day must be one, but need not be the right one. A second of 60 is the first of the next
  /// minute. A year of two digits is the one not more than 50 years after `now`.
  static func parse(_ text: String) -> Date? { parse(text, now: SystemTime.date) }

  static func parse(_ text: String, now: Date) -> Date? {
    guard text.utf8.count <= 64 else { return nil }
    let parts = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" })
    switch parts.count {
    case 6 where parts[5] == "GMT":
      return date(weekday: parts[0], day: parts[1], month: parts[2], year: parts[3], time: parts[4], now: now)
    case 5:
      return date(weekday: parts[0], day: parts[2], month: parts[1], year: parts[4], time: parts[3], now: now)
    default: return nil
    }
  }

  private static func date(
    weekday: Substring, day: Substring, month: Substring, year: Substring, time: Substring, now: Date
  ) -> Date? {
    guard isWeekday(weekday), let month = months.firstIndex(of: String(month)).map({ $0 + 1 }),
      let day = number(day, digits: 1...2), let year = self.year(year, now: now),
      let second = second(of: time), (1...CivilDay.length(ofMonth: month, year: year)).contains(day)
    else { return nil }
    let days = CivilDay(year: year, month: month, day: day).daysSince1970
    return Date(timeIntervalSince1970: Double(days * 86_400 + second))
  }

  private static func isWeekday(_ name: Substring) -> Bool {
    days.contains(String(name)) || longDays.contains(name)
  }

  private static let longDays: Set<Substring> = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  private static func second(of time: Substring) -> Int? {
    let parts = time.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = number(parts[0], digits: 2...2), hour < 24,
      let minute = number(parts[1], digits: 2...2), minute < 60,
      let second = number(parts[2], digits: 2...2), second <= 60
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  private static func year(_ text: Substring, now: Date) -> Int? {
    if let year = number(text, digits: 4...4) { return year > 0 ? year : nil }
    guard let short = number(text, digits: 2...2) else { return nil }
    let current = Int(format(now).split(separator: " ")[3]) ?? 1970
    let year = current - current % 100 + short
    if year > current + 50 { return year - 100 }
    return year + 100 <= current + 50 ? year + 100 : year
  }

  private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return Int(text)
  }
}
