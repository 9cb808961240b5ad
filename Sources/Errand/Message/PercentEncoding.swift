/// Percent-encoding of UTF-8 bytes (RFC 3986 section 2.1).
package enum PercentEncoding {
  /// Encodes a text, except for unreserved characters, `/` and `?`.
  static func encode(_ text: String) -> String {
    encode(text.utf8, keepingEscapes: false) { isUnreserved($0) || $0 == 0x2F || $0 == 0x3F }
  }

  static func encodeAll(_ text: String) -> String {
    encode(text.utf8, keepingEscapes: false, isAllowed: isUnreserved)
  }

  /// Encodes the bytes that are not allowed, and keeps existing escapes.
  static func encodeDisallowed(in text: some StringProtocol, allowing isAllowed: (UInt8) -> Bool) -> String {
    if text.withBytes({ $0.allSatisfy(isAllowed) }) { return String(text) }
    return encode(text.utf8, keepingEscapes: true, isAllowed: isAllowed)
  }

  static func decode(_ text: some StringProtocol) -> [UInt8] { decode(Array(text.utf8)[...]) }

  /// Decodes a text; returns `nil` for a `%` without two hexadecimal digits.
  static func decodeStrictly(_ text: some StringProtocol) -> [UInt8]? {
    let bytes = Array(text.utf8)[...]
    let isWellFormed = bytes.indices.allSatisfy { bytes[$0] != 0x25 || escape(in: bytes, at: $0) != nil }
    return isWellFormed ? decode(bytes) : nil
  }

  package static func decode(_ bytes: ArraySlice<UInt8>, plusIsBlank: Bool = false) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if let byte = escape(in: bytes, at: index) {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(plusIsBlank && bytes[index] == 0x2B ? 0x20 : bytes[index])
        index += 1
      }
    }
    return decoded
  }

  /// Returns true for an unreserved character (RFC 3986 section 2.3).
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }

  /// Returns true for a sub-delimiter (RFC 3986 section 2.2).
  static func isSubDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
    default: false
    }
  }

  private static func encode(
    _ bytes: some Collection<UInt8>, keepingEscapes: Bool, isAllowed: (UInt8) -> Bool
  ) -> String {
    let bytes = Array(bytes)[...]
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count * 2)
    for (index, byte) in bytes.enumerated() {
      if isAllowed(byte) || (keepingEscapes && escape(in: bytes, at: index) != nil) {
        encoded.append(byte)
      } else {
        encoded.append(0x25)
        encoded.append(digits[Int(byte >> 4)])
        encoded.append(digits[Int(byte & 15)])
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func escape(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
    guard bytes[index] == 0x25, index + 2 < bytes.endIndex else { return nil }
    guard let high = ASCII.hexDigit(bytes[index + 1]), let low = ASCII.hexDigit(bytes[index + 2]) else {
      return nil
    }
    return high << 4 | low
  }
}
