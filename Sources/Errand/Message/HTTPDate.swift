import Foundation

/// Dates in header fields (RFC 9110 section 5.6.7).
enum HTTPDate {
  static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns a text such as `Sun, 06 Nov 1994 08:49:37 GMT`; clamps the date to the years 1 to 9999.
  static func format(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    let whole = seconds.isNaN ? 0 : Int(min(max(seconds.rounded(.down), earliest), latest))
    let day = CivilDay(daysSince1970: floored(whole, by: 86_400))
    let second = whole - day.daysSince1970 * 86_400
    let weekday = days[(day.daysSince1970 + 4) - floored(day.daysSince1970 + 4, by: 7) * 7]
    let date = "\(padded(day.day)) \(months[day.month - 1]) \(padded(day.year, to: 4))"
    let time = "\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))"
    return "\(weekday), \(date) \(time) GMT"
  }

  private static let earliest = Double(CivilDay(year: 1, month: 1, day: 1).daysSince1970 * 86_400)
  private static let latest = Double(CivilDay(year: 10_000, month: 1, day: 1).daysSince1970 * 86_400 - 1)

  private static func padded(_ number: Int, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func floored(_ number: Int, by divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }

  /// Reads an IMF-fixdate, an RFC 850 date or an asctime date.
  ///
  /// A weekday that does not match the date is accepted. Second 60 is read as the first second of the next
  /// minute. A two-digit year is read as the latest such year that is at most 50 years in the future.
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

/// A day of the proleptic Gregorian calendar.
struct CivilDay: Hashable {
  var year: Int
  var month: Int
  var day: Int

  init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  init(daysSince1970 days: Int) {
    // The calendar repeats every 400 years.
    let cycles = days >= 0 ? days / 146_097 : -((146_096 - days) / 146_097)
    var rest = days - cycles * 146_097
    year = 1970 + cycles * 400
    while rest >= Self.length(ofYear: year) {
      rest -= Self.length(ofYear: year)
      year += 1
    }
    month = 1
    while rest >= Self.length(ofMonth: month, year: year) {
      rest -= Self.length(ofMonth: month, year: year)
      month += 1
    }
    day = rest + 1
  }

  /// The number of days since 1970-01-01; the year must be 1 or later.
  var daysSince1970: Int {
    let past = year - 1
    let days = past * 365 + past / 4 - past / 100 + past / 400
    let inYear = (1..<month).reduce(0) { $0 + Self.length(ofMonth: $1, year: year) }
    return days + inYear + day - 1 - 719_162
  }

  static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func length(ofYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }
}
