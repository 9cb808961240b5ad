import Foundation

/// In which encoding a JSON text is, found as `JSONDecoder` finds it: by a byte order mark, else by the zeros among the first four
/// bytes (RFC 4627 section 3).
struct JSONText {
  /// Bytes of a code unit: 1, 2 or 4.
  let width: Int
  /// Which byte of a unit is the low one.
  let low: Int
  /// Bytes of the byte order mark.
  let mark: Int

  init(of bytes: UnsafeRawBufferPointer) {
    func begins(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }
    let isZero = bytes.prefix(4).map { $0 == 0 }
    (width, low, mark) =
      if begins([0xEF, 0xBB, 0xBF]) {
        (1, 0, 3)
      } else if begins([0, 0, 0xFE, 0xFF]) {
        (4, 3, 4)
      } else if begins([0xFF, 0xFE, 0, 0]) {
        (4, 0, 4)
      } else if begins([0xFE, 0xFF]) {
        (2, 1, 2)
      } else if begins([0xFF, 0xFE]) {
        (2, 0, 2)
      } else {
        switch isZero {
        case [true, true, true, false]: (4, 3, 0)
        case [false, true, true, true]: (4, 0, 0)
        case [true, false, true, false], [true, false]: (2, 1, 0)
        case [false, true, false, true], [false, true]: (2, 0, 0)
        default: (1, 0, 0)
        }
      }
  }

  /// The text in UTF-8 without a byte order mark; `nil` where the bytes are not valid in their encoding.
  static func utf8(_ data: Data) -> [UInt8]? {
    let text = data.withUnsafeBytes { JSONText(of: $0) }
    let rest = data.dropFirst(text.mark)
    let encoding: String.Encoding
    switch (text.width, text.low) {
    case (1, _): return Array(rest)
    case (2, 0): encoding = .utf16LittleEndian
    case (2, _): encoding = .utf16BigEndian
    case (_, 0): encoding = .utf32LittleEndian
    default: encoding = .utf32BigEndian
    }
    return String(data: Data(rest), encoding: encoding).map { Array($0.utf8) }
  }
}

/// How deep a JSON text is nested, judged before a reader that is recursive sees it.
///
/// `JSONDecoder` reads 512 levels. On Linux (Swift 6.3) a text that ends with the bracket of its 513th ends the process.
enum JSONDepth {
  /// How deep arrays and objects may be nested: as deep as `JSONDecoder` lets them.
  static let limit = 512

  /// Throws a `DecodingError` of what is nested deeper.
  static func check(_ data: Data) throws {
    guard data.withUnsafeBytes(isExceeded) else { return }
    throw DecodingError.dataCorrupted(
      .init(codingPath: [], debugDescription: "the JSON is nested deeper than \(limit) levels"))
  }

  /// Follows the text up to its first error, where a reader stops: brackets in strings are none.
  private static func isExceeded(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > limit, hasManyBrackets(bytes) else { return false }
    let text = JSONText(of: bytes)
    var (index, depth, isInString) = (text.mark, 0, false)
    while index + text.width <= bytes.count {
      let unit = unit(at: index, of: bytes, text)
      index += text.width
      switch unit {
      case UInt8(ascii: "\\") where isInString: index += text.width
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: continue
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth > limit { return true }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: continue
      }
    }
    return false
  }

  /// Whether it could be nested too deep at all, which few texts could; this loop does several bytes at once.
  private static func hasManyBrackets(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var count = 0
    for byte in bytes { count &+= byte | 0x20 == UInt8(ascii: "{") ? 1 : 0 }
    return count > limit
  }

  /// A code unit; of those beyond ASCII, which say nothing here, 0.
  @inline(__always)
  private static func unit(at index: Int, of bytes: UnsafeRawBufferPointer, _ text: JSONText) -> UInt8 {
    for other in 0..<text.width where other != text.low {
      if bytes[index + other] != 0 { return 0 }
    }
    return bytes[index + text.low]
  }
}
