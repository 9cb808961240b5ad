/// Where things end in a JSON text that is known to be well-formed.
enum JSONScan {
  /// The index after the quote that closes the string beginning at `start`.
  static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  /// The index after the value beginning at `start`; of a number or literal, the blanks after it belong to it, as
  /// redaction takes them away.
  static func endOfValue(in bytes: [UInt8], from start: Int) -> Int {
    var (index, depth) = (start, 0)
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): index = endOfString(in: bytes, from: index)
      case UInt8(ascii: "{"), UInt8(ascii: "["): (index, depth) = (index + 1, depth + 1)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): (index, depth) = (index + 1, depth - 1)
      case _ where depth == 0: return bytes[index...].firstIndex(where: endsValue) ?? bytes.count
      default: index += 1
      }
      if depth == 0 { return index }
    }
    return bytes.count
  }

  /// The index after the number or literal beginning at `start`.
  static func endOfScalar(in bytes: [UInt8], from start: Int) -> Int {
    bytes[start...].firstIndex { endsValue($0) || $0 == 0x20 || $0 == 0x09 } ?? bytes.count
  }

  /// Whether the string that ends there is the name of a member.
  static func isName(endingAt end: Int, in bytes: [UInt8]) -> Bool {
    bytes[end...].first { !($0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D) } == UInt8(ascii: ":")
  }

  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x0A, 0x0D: true
    default: false
    }
  }
}
