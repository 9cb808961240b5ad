import Foundation

/// A strict parser for `Expires`, because an invalid date counts as past (RFC 9111 section 5.3).
enum CacheDate {
  static func parse(_ text: String, now: Date) -> Date? {
    let bytes = Array(text.utf8)
    guard (24...40).contains(bytes.count) else { return nil }
    if let comma = bytes.firstIndex(of: 0x2C) {
      let rest = bytes[(comma + 1)...]
      guard comma >= 3, bytes[..<comma].allSatisfy(ASCII.isLetter) else { return nil }
      let isShort = comma == 3 && fits(rest, to: " dd aaa dddd dd:dd:dd aaa")
      guard isShort || fits(rest, to: " dd-aaa-dd dd:dd:dd aaa") else { return nil }
    } else {
      guard
        fits(bytes[...], to: "aaa aaa dd dd:dd:dd dddd") || fits(bytes[...], to: "aaa aaa  d dd:dd:dd dddd")
      else {
        return nil
      }
    }
    return HTTPDate.parse(cased(text), now: now)
  }

  /// Returns true if a text matches `form`, in which `d` stands for a digit and `a` for a letter.
  private static func fits(_ text: ArraySlice<UInt8>, to form: StaticString) -> Bool {
    guard text.count == form.utf8CodeUnitCount else { return false }
    return zip(text, UnsafeBufferPointer(start: form.utf8Start, count: form.utf8CodeUnitCount)).allSatisfy {
      byte, kind in
      switch kind {
      case 0x64: ASCII.isDigit(byte)
      case 0x61: ASCII.isLetter(byte)
      default: byte == kind
      }
    }
  }

  private static func cased(_ text: String) -> String {
    var isFirst = true
    let letters = text.utf8.map { byte -> UInt8 in
      defer { isFirst = !ASCII.isLetter(byte) }
      return isFirst && (0x61...0x7A).contains(byte) ? byte & 0xDF : isFirst ? byte : ASCII.lowercased(byte)
    }
    let cased = String(decoding: letters, as: UTF8.self)
    return cased.hasSuffix("Gmt") ? cased.dropLast(3) + "GMT" : cased
  }
}
