/// Finds the user info of a URL, usually also if the password contains `/`, `?` or `#`.
enum HiddenUserInfo {
  /// Returns the range of the user info, usually up to the last `@`.
  ///
  /// Some parsers read `user:p@ss@host` with the password `p@ss`. In `http://host:8080/@name`, the valid port
  /// number shows that the text before the port is a host, not a user name.
  static func range(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    rangeInAuthority(of: bytes) ?? rangeInPath(of: bytes)
  }

  private static func rangeInAuthority(of bytes: ArraySlice<UInt8>) -> Range<Int>? {
    guard let start = startOfAuthority(in: bytes) else { return rangeWithoutScheme(in: bytes) }
    let end = bytes[start...].firstIndex(where: isDelimiter) ?? bytes.endIndex
    let at = bytes[start..<end].lastIndex(of: at)
    let address = bytes[(at.map { $0 + 1 } ?? start)..<end]
    guard let first = startOfPort(of: address) else {
      return at.map { start..<(bytes[end...].lastIndex(of: Self.at) ?? $0) }
    }
    let port = withoutPunctuation(address[first...])
    if let last = bytes[end...].lastIndex(of: Self.at), !isPort(port) { return start..<last }
    if !port.allSatisfy(ASCII.isDigit), !isMarker(port) {
      return (at == nil ? first : start)..<bytes.endIndex
    }
    return at.map { start..<$0 }
  }

  private static let at = UInt8(ascii: "@")

  private static func startOfAuthority(in bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.firstIndex(where: isDelimiter), bytes[first] == UInt8(ascii: "/"),
      first + 1 < bytes.endIndex, bytes[first + 1] == UInt8(ascii: "/"),
      first == bytes.startIndex || bytes[first - 1] == UInt8(ascii: ":")
    else { return nil }
    return first + 2
  }

  /// Finds the user info in text such as `user:password@host`.
  private static func rangeWithoutScheme(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    let first = bytes.firstIndex(where: isDelimiter) ?? bytes.endIndex
    let hasColon = bytes[..<first].contains(UInt8(ascii: ":"))
    let last = (hasColon ? bytes : bytes[..<first]).lastIndex(of: at)
    guard let last, last > bytes.startIndex, !isMail(bytes) else { return nil }
    return bytes.startIndex..<last
  }

  /// Finds the user info of a URL within a path, such as `/fetch/http://user:password@host`.
  ///
  /// In a path, a colon and an `@` usually count only after two slashes or the text `http`.
  private static func rangeInPath(of bytes: ArraySlice<UInt8>) -> Range<Int>? {
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
    guard let last = bytes[..<end].lastIndex(of: at) else { return nil }
    let start = bytes[..<last].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? bytes.startIndex
    let colons = bytes[start..<last].count { $0 == UInt8(ascii: ":") }
    guard colons > 0 else { return nil }
    if start == bytes.startIndex, isMail(bytes) { return colons > 1 ? start..<last : nil }
    let followsSlashes = start > bytes.startIndex + 1 && bytes[start - 2] == UInt8(ascii: "/")
    return followsSlashes || namesScheme(bytes.dropFirst()[..<last]) ? start..<last : nil
  }

  private static func namesScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.indices.dropLast(3).contains { index in
      zip(bytes[index...], "http".utf8).allSatisfy { ASCII.lowercased($0) == $1 }
    }
  }

  private static func isMail(_ bytes: ArraySlice<UInt8>) -> Bool {
    let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }
    return ["mailto", "sip", "sips", "xmpp", "acct"].contains {
      scheme.count == $0.utf8.count && zip(scheme, $0.utf8).allSatisfy { ASCII.lowercased($0) == $1 }
    }
  }

  private static func startOfPort(of address: ArraySlice<UInt8>) -> Int? {
    var start = address.startIndex
    if address.first == UInt8(ascii: "[") {
      let end = address.lastIndex(of: UInt8(ascii: "]"))
      if end == nil, address.dropFirst().allSatisfy(URLParts.isAddressByte) { return nil }
      start = end ?? start
    }
    return address[start...].firstIndex(of: UInt8(ascii: ":")).map { $0 + 1 }
  }

  /// Drops punctuation that follows a URL in free text.
  private static func withoutPunctuation(_ port: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let last = port.lastIndex { !",.;:!)]}'".utf8.contains($0) }
    return port[..<(last.map { $0 + 1 } ?? port.startIndex)]
  }

  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    UInt16(String(decoding: bytes, as: UTF8.self)).map { $0 > 0 } ?? isMarker(bytes)
  }

  /// An earlier redaction may have replaced the port by the marker.
  private static func isMarker(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.elementsEqual(Redaction.marker.utf8)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}
