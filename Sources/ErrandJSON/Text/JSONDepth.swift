import Foundation

/// How deep a JSON text is nested, judged before a reader that is recursive sees it.
///
/// `JSONDecoder` reads 512 levels. On Linux (Swift 6.3) a text that ends with the bracket of its 513th ends the process.
package enum JSONDepth {
  /// How deep arrays and objects may be nested: as deep as `JSONDecoder` lets them.
  package static let limit = 512

  /// Throws a `DecodingError` where a reader of others is too deep for the stack of this thread; it is asked for each value.
  package static func checkStack(of decoder: any Decoder) throws {
    guard !StackRoom.isEnough(at: decoder.codingPath.count) else { return }
    throw DecodingError(JSONSyntaxError(.stack, at: nil))
  }

  /// How many levels Foundation may be given on this thread: it asks nobody, and takes, with what the types in it do, about half of this for each.
  static var foreignLimit: Int { min(limit, StackRoom.levels(of: 3 << 10)) }

  /// Throws a `DecodingError` of what is nested deeper than Foundation may be given.
  static func check(_ data: Data) throws {
    let most = foreignLimit
    guard data.withUnsafeBytes({ isExceeded(most, by: $0) }) else { return }
    let isTooDeep = most == limit || data.withUnsafeBytes { isExceeded(limit, by: $0) }
    throw DecodingError(JSONSyntaxError(isTooDeep ? .tooDeep : .stack, at: nil))
  }

  /// Follows the text up to its first error, where a reader stops: brackets in strings are none.
  private static func isExceeded(_ limit: Int, by bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > limit, hasMoreBrackets(than: limit, bytes) else { return false }
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
  private static func hasMoreBrackets(than limit: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
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
