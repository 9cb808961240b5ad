import Foundation

/// How deep a JSON text is nested, judged before a reader that is recursive sees it.
///
/// `JSONDecoder` reads 512 levels. On Linux (Swift 6.3) a text that ends with the bracket of its 513th ends the process.
package enum JSONDepth {
  /// How deep arrays and objects may be nested: as deep as `JSONDecoder` lets them.
  package static let limit = 512

  /// Throws a `DecodingError` of what is nested deeper.
  static func check(_ data: Data) throws {
    guard data.withUnsafeBytes(isExceeded) else { return }
    throw DecodingError.dataCorrupted(
      .init(codingPath: [], debugDescription: "the JSON is nested deeper than \(limit) levels"))
  }

  /// Follows the text up to its first error, where a reader stops: brackets in strings are none.
  private static func isExceeded(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > limit, hasManyBrackets(bytes) else { return false }
    let text = JSONEncodings(of: bytes)
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
  private static func unit(at index: Int, of bytes: UnsafeRawBufferPointer, _ text: JSONEncodings) -> UInt8 {
    for other in 0..<text.width where other != text.low {
      if bytes[index + other] != 0 { return 0 }
    }
    return bytes[index + text.low]
  }
}
