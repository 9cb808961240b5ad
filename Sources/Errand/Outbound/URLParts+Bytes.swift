extension URLParts {
  /// RFC 3986 section 3.1.
  static func isSchemeByte(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
  }

  /// RFC 3986 section 3.2.1.
  static func isUserInfoByte(_ byte: UInt8) -> Bool { isHostByte(byte) || byte == 0x3A }

  /// RFC 3986 section 3.2.2, without escapes.
  static func isHostByte(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || PercentEncoding.isSubDelimiter(byte)
  }

  /// RFC 3986 section 3.3, with the `/` between segments.
  static func isPathByte(_ byte: UInt8) -> Bool {
    isHostByte(byte) || byte == 0x3A || byte == 0x40 || byte == 0x2F
  }

  /// RFC 3986 section 3.4.
  static func isQueryByte(_ byte: UInt8) -> Bool { isPathByte(byte) || byte == 0x3F }

  /// What an IPv6 address is made of (RFC 3986 section 3.2.2).
  static func isAddressByte(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || (0x41...0x46).contains(byte & 0xDF) || byte == 0x3A || byte == 0x2E
  }
}
