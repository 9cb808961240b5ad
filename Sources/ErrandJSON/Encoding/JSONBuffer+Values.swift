import Foundation

extension JSONBuffer {
  /// Appends the data as a string in Base64 (RFC 4648 section 4).
  mutating func append(base64 data: Data, escapingSlashes: Bool) {
    // With an escape, a slash takes two bytes.
    reserve((data.count + 2) / 3 * 8 + 2)
    advance(byte: 0x22)
    data.withUnsafeBytes { bytes in
      var place = 0
      while place + 2 < bytes.count {
        let three = UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2])
        append(sextets: three, count: 4, escapingSlashes: escapingSlashes)
        place += 3
      }
      let left = bytes.count - place
      if left == 0 { return }
      let last = UInt32(bytes[place]) << 16 | (left == 2 ? UInt32(bytes[place + 1]) << 8 : 0)
      append(sextets: last, count: left + 1, escapingSlashes: escapingSlashes)
      for _ in left..<3 { advance(byte: 0x3D) }
    }
    advance(byte: 0x22)
  }

  @inline(__always)
  private mutating func append(sextets: UInt32, count: Int, escapingSlashes: Bool) {
    let alphabet = Self.alphabet.utf8Start
    for index in 0..<count {
      let character = alphabet[Int(sextets >> (18 - 6 * UInt32(index)) & 63)]
      if character == 0x2F, escapingSlashes { advance(byte: 0x5C) }
      advance(byte: character)
    }
  }

  private static var alphabet: StaticString {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  }

  mutating func append(iso8601 date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
    // Foundation formats dates before 1601 and after 9999.
    guard seconds >= -12_622_780_800, seconds < 252_423_993_600 else {
      return append(quoted: date.formatted(.iso8601), escapingSlashes: false)
    }
    // Counts years from March 1, 1600, so that a leap day is the last day of a year.
    let sinceCycle = Int(seconds) + 12_622_780_800 + 306 * 86_400
    let (days, second) = sinceCycle.quotientAndRemainder(dividingBy: 86_400)
    let (cycle, dayOfCycle) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = 1_600 + 400 * cycle + yearOfCycle + (month < 10 ? 0 : 1)
    reserve(22)
    advance(byte: 0x22)
    append(pair: year / 100, before: nil)
    append(pair: year % 100, before: 0x2D)
    append(pair: month < 10 ? month + 3 : month - 9, before: 0x2D)
    append(pair: day, before: 0x54)
    append(pair: second / 3_600, before: 0x3A)
    append(pair: second / 60 % 60, before: 0x3A)
    append(pair: second % 60, before: 0x5A)
    advance(byte: 0x22)
  }

  @inline(__always)
  private mutating func append(pair: Int, before separator: UInt8?) {
    advance(byte: 0x30 &+ UInt8(truncatingIfNeeded: pair / 10))
    advance(byte: 0x30 &+ UInt8(truncatingIfNeeded: pair % 10))
    if let separator { advance(byte: separator) }
  }
}
