import Foundation

/// Dates in header fields (RFC 9110 section 5.6.7).
///
/// Written and read by hand: a `DateFormatter` is slow, and depends on the user's calendar unless told otherwise.
enum HTTPDate {
  static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The date as an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`; fractions of a second are cut off.
  ///
  /// A date before the year 1 or after the year 9999, which the format cannot say, is moved to the nearest it can.
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
}
