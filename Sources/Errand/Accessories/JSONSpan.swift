/// Where things end in a JSON text that may be cut short or broken; at the end of the text at the latest.
enum JSONSpan {
  /// The index after the quote that closes the string beginning at `start`.
  static func endOfString<Bytes: RandomAccessCollection>(in bytes: Bytes, from start: Int) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != bytes[start] {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  /// The index after the bracket that closes the array or object beginning at `start`.
  static func endOfContainer<Bytes: RandomAccessCollection>(in bytes: Bytes, from start: Int) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    var (index, depth) = (start, 0)
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = endOfString(in: bytes, from: index)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      index += 1
      if depth == 0 { return index }
    }
    return bytes.count
  }

  /// The index after the value beginning at `start`.
  static func endOfValue<Bytes: RandomAccessCollection>(in bytes: Bytes, from start: Int) -> Int
  where Bytes.Element == UInt8, Bytes.Index == Int {
    guard start < bytes.count else { return bytes.count }
    switch bytes[start] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return endOfString(in: bytes, from: start)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return endOfContainer(in: bytes, from: start)
    default: return bytes[start...].firstIndex(where: endsScalar) ?? bytes.count
    }
  }

  /// Whether a byte ends a number, a literal or a bare word.
  static func endsScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x0A, 0x0D: true
    default: false
    }
  }
}
