/// Percent-encoding and `+`, undone to compare names and look into values.
enum PercentDecoding {
  /// The bytes meant; a `%` without two digits stays, and `+` is a blank, as in forms.
  static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = pair(rest) {
        decoded.append(value)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return decoded
  }

  private static func pair(_ rest: ArraySlice<UInt8>) -> UInt8? {
    guard rest.count >= 2, let high = ASCII.hexDigit(rest[rest.startIndex]),
      let low = ASCII.hexDigit(rest[rest.startIndex + 1])
    else { return nil }
    return high << 4 | low
  }
}
