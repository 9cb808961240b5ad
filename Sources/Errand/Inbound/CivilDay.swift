/// A day of the Gregorian calendar, also before it was introduced.
struct CivilDay: Hashable {
  var year: Int
  /// From 1.
  var month: Int
  /// From 1.
  var day: Int

  init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that many days after 1 January 1970.
  init(daysSince1970 days: Int) {
    // 400 years have always the same number of days, so the search begins near its end.
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

  /// The days since 1 January 1970; the year must be 1 or later.
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
