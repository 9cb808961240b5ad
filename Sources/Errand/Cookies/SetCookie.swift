import Foundation

/// A parsed `Set-Cookie` field (draft-ietf-httpbis-rfc6265bis section 5.6).
struct SetCookie {
  private(set) var name: Substring = ""
  private(set) var value: Substring = ""
  /// The domain in lower case, without a leading dot; `nil` if missing, empty or too long.
  private(set) var domain: String?
  /// The path; `nil` if missing, too long, or without a leading `/`.
  private(set) var path: String?
  private(set) var expires: Date?
  private(set) var isSecure = false
  private(set) var isHTTPOnly = false
  private(set) var sameSite: Cookie.SameSite?
  let isLatin1: Bool

  /// 400 days, in seconds (draft-ietf-httpbis-rfc6265bis section 5.5).
  static let longestLife: TimeInterval = 400 * 86_400
  private static let attributeLimit = 1024

  init?(_ field: String, isLatin1: Bool = false, now: Date) {
    self.isLatin1 = isLatin1
    guard field.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
    var parts = Self.split(field[...], at: UInt8(ascii: ";"))[...]
    let pair = parts.removeFirst()
    if let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) {
      name = Self.trimmed(pair[..<equals])
      value = Self.trimmed(pair[pair.utf8.index(after: equals)...])
    } else {
      value = Self.trimmed(pair)
    }
    var maxAge: Date?
    for part in parts {
      let equals = part.utf8.firstIndex(of: UInt8(ascii: "="))
      let key = Self.trimmed(part[..<(equals ?? part.endIndex)]).lowercased()
      let text = equals.map { Self.trimmed(part[part.utf8.index(after: $0)...]) } ?? ""
      guard text.utf8.count <= Self.attributeLimit else { continue }
      switch key {
      case "expires": if let date = CookieDate.parse(text) { expires = date }
      case "max-age": if let end = Self.end(ofAge: text, now: now) { maxAge = end }
      case "domain": domain = Self.domain(text)
      case "path": path = text.utf8.first == UInt8(ascii: "/") ? String(text) : nil
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      case "samesite":
        let known: [String: Cookie.SameSite] = ["strict": .strict, "lax": .lax, "none": Cookie.SameSite.none]
        sameSite = known[text.lowercased()]
      default: continue
      }
    }
    expires = (maxAge ?? expires).map { min($0, now.addingTimeInterval(Self.longestLife)) }
  }

  private static func domain(_ text: Substring) -> String? {
    let name = text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text
    return name.isEmpty ? nil : name.lowercased()
  }

  private static func end(ofAge text: Substring, now: Date) -> Date? {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    let seconds = TimeInterval(digits) ?? Self.longestLife
    let isPast = digits.startIndex != text.startIndex || seconds == 0
    return isPast ? .distantPast : now.addingTimeInterval(seconds)
  }

  /// Splits by bytes, because a `;` with a combining mark is a different `Character`.
  private static func split(_ text: Substring, at byte: UInt8) -> [Substring] {
    text.utf8.split(separator: byte, omittingEmptySubsequences: false).map(Substring.init)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    let bytes = text.utf8.drop(while: isBlank)
    let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
    return Substring(bytes[..<end])
  }
}

/// A parser for dates of cookies, with parts in nearly any order and nearly any delimiter (RFC 6265 section
/// 5.1.1).
enum CookieDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  static func parse(_ text: Substring) -> Date? {
    var time: (hour: Int, minute: Int, second: Int)?
    var (day, month, year): (Int?, Int?, Int?)
    for token in text.utf8.split(whereSeparator: isDelimiter).map(Substring.init) {
      if time == nil, let found = self.time(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = months.firstIndex(of: token.prefix(3).lowercased()) {
        month = found + 1
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year else { return nil }
    switch year {
    case 70...99: year += 1900
    case 0...69: year += 2000
    default: break
    }
    guard (1...31).contains(day), year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59
    else { return nil }
    let date = CivilDay(year: year, month: month, day: day)
    let back = CivilDay(daysSince1970: date.daysSince1970)
    guard back.day == day, back.month == month else { return nil }
    let seconds = date.daysSince1970 * 86_400 + time.hour * 3600 + time.minute * 60 + time.second
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private static func number(_ token: Substring, digits: ClosedRange<Int>) -> Int? {
    let number = token.utf8.prefix(while: ASCII.isDigit)
    return digits.contains(number.count) ? Int(Substring(number)) : nil
  }

  private static func time(_ token: Substring) -> (hour: Int, minute: Int, second: Int)? {
    let parts = token.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map(Substring.init)
    guard parts.count >= 3, parts[0].utf8.allSatisfy(ASCII.isDigit), parts[1].utf8.allSatisfy(ASCII.isDigit),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }
}
