import Foundation

/// The limits of nested levels.
///
/// Beyond the limits, `JSONDecoder` may crash on Linux (Swift 6.3).
package enum JSONDepth {
  package static let limit = 512

  package static func checkStack(of decoder: any Decoder) throws {
    guard !StackRoom.isEnough(at: decoder.codingPath.count) else { return }
    throw DecodingError(JSONSyntaxError(.stack, at: nil))
  }

  /// The maximum number of levels for Foundation.
  ///
  /// Foundation uses about 3 KiB of stack for a level, and does not check the stack.
  static var foreignLimit: Int { min(limit, StackRoom.levels(of: 3 << 10)) }

  static func check(_ data: Data) throws {
    let most = foreignLimit
    guard data.withUnsafeBytes({ isExceeded(most, by: $0) }) else { return }
    let isTooDeep = most == limit || data.withUnsafeBytes { isExceeded(limit, by: $0) }
    throw DecodingError(JSONSyntaxError(isTooDeep ? .tooDeep : .stack, at: nil))
  }

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

  private static func hasMoreBrackets(than limit: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var count = 0
    for byte in bytes { count &+= byte | 0x20 == UInt8(ascii: "{") ? 1 : 0 }
    return count > limit
  }

  /// Returns the code unit at `index`, or 0 for a code unit beyond 0xFF.
  @inline(__always)
  private static func unit(at index: Int, of bytes: UnsafeRawBufferPointer, _ text: JSONEncodings) -> UInt8 {
    for other in 0..<text.width where other != text.low {
      if bytes[index + other] != 0 { return 0 }
    }
    return bytes[index + text.low]
  }
}
