import Foundation

/// A URL split at its delimiters (RFC 3986 section 3); only the scheme is validated.
///
/// Splits bytes, because Swift joins a `/` and a combining mark into one character.
struct URLParts {
  let scheme: Substring
  let userInfo: Substring?
  let host: Substring
  let port: Substring?
  private(set) var path: String
  let query: Substring
  let text: String

  /// Splits a text; returns `nil` unless the text begins with `scheme://`.
  init?(absolute text: String) {
    guard let scheme = Self.scheme(of: text) else { return nil }
    self.scheme = scheme
    self.text = text
    let rest = Self.withoutFragment(text)[scheme.endIndex...].utf8.dropFirst("://".utf8.count)
    let authorityEnd = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
    (userInfo, host, port) = Self.cut(authority: Substring(rest[..<authorityEnd]))
    let (path, query) = Self.splitQuery(of: Substring(rest[authorityEnd...]))
    self.path = String(path)
    self.query = query
  }

  mutating func append(path relative: Substring) {
    guard !relative.isEmpty else { return }
    let head = path.utf8.last == 0x2F ? path.utf8.dropLast() : path.utf8[...]
    let tail = relative.utf8.first == 0x2F ? relative.utf8.dropFirst() : relative.utf8
    path = "\(Substring(head))/\(Substring(tail))"
  }

  private static func scheme(of text: String) -> Substring? {
    guard let colon = text.utf8.firstIndex(of: 0x3A) else { return nil }
    let scheme = text[..<colon]
    guard let first = scheme.utf8.first, ASCII.isLetter(first) else { return nil }
    guard scheme.utf8.allSatisfy(isSchemeByte) else { return nil }
    return text.utf8[colon...].starts(with: "://".utf8) ? scheme : nil
  }

  /// Splits the authority into user info, host and port.
  ///
  /// The last `@` ends the user info. The last `:` outside IPv6 brackets begins the port.
  private static func cut(authority: Substring) -> (Substring?, Substring, Substring?) {
    let at = authority.utf8.lastIndex(of: 0x40)
    let userInfo = at.map { authority[..<$0] }
    let address = at.map { authority[authority.utf8.index(after: $0)...] } ?? authority
    let isAddress = address.utf8.first == 0x5B
    let nameEnd = isAddress ? address.utf8.lastIndex(of: 0x5D) ?? address.endIndex : address.startIndex
    guard let colon = address.utf8[nameEnd...].lastIndex(of: 0x3A) else { return (userInfo, address, nil) }
    return (userInfo, address[..<colon], address[address.utf8.index(after: colon)...])
  }

  static func splitQuery(of text: some StringProtocol) -> (path: Substring, query: Substring) {
    let text = withoutFragment(text)
    guard let mark = text.utf8.firstIndex(of: 0x3F) else { return (text, "") }
    return (text[..<mark], text[text.utf8.index(after: mark)...])
  }

  static func queryNames(in text: some StringProtocol) -> [String] {
    splitQuery(of: text).query.utf8.split(separator: 0x26).map { pair in
      let name = Array(pair.prefix { $0 != 0x3D })
      return String(decoding: PercentEncoding.decode(name[...], plusIsBlank: true), as: UTF8.self)
    }
  }

  static func withoutFragment(_ text: some StringProtocol) -> Substring {
    let text = Substring(text)
    return text[..<(text.utf8.firstIndex(of: 0x23) ?? text.endIndex)]
  }

  /// Returns the fragment, with disallowed bytes percent-encoded; `nil` without a `#`.
  static func fragment(of text: some StringProtocol) -> String? {
    let text = Substring(text)
    guard let mark = text.utf8.firstIndex(of: 0x23) else { return nil }
    return PercentEncoding.encodeDisallowed(in: text[text.utf8.index(after: mark)...], allowing: isQueryByte)
  }

  static func url(_ url: URL, fragment: String?) -> URL {
    guard let fragment, !fragment.isEmpty else { return url }
    return URL(string: "\(withoutFragment(url.absoluteString))#\(fragment)") ?? url
  }

  /// Returns true for a `data:` URL (RFC 2397).
  static func isData(_ text: String) -> Bool {
    guard let first = text.utf8.first, ASCII.lowercased(first) == 0x64 else { return false }
    return HTTPHeaders.same(String(text.utf8.prefix(5)) ?? "", "data:")
  }

  /// Returns true for a character of a scheme (RFC 3986 section 3.1).
  static func isSchemeByte(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
  }

  /// Returns true for a character of user info, except `%` (RFC 3986 section 3.2.1).
  static func isUserInfoByte(_ byte: UInt8) -> Bool { isHostByte(byte) || byte == 0x3A }

  /// Returns true for a character of a host name, except `%` (RFC 3986 section 3.2.2).
  static func isHostByte(_ byte: UInt8) -> Bool {
    PercentEncoding.isUnreserved(byte) || PercentEncoding.isSubDelimiter(byte)
  }

  /// Returns true for a character of a path, except `%` (RFC 3986 section 3.3).
  static func isPathByte(_ byte: UInt8) -> Bool {
    isHostByte(byte) || byte == 0x3A || byte == 0x40 || byte == 0x2F
  }

  /// Returns true for a character of a query, except `%` (RFC 3986 section 3.4).
  static func isQueryByte(_ byte: UInt8) -> Bool { isPathByte(byte) || byte == 0x3F }

  /// Returns true for a character of an IPv6 address (RFC 3986 section 3.2.2).
  static func isAddressByte(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || (0x41...0x46).contains(byte & 0xDF) || byte == 0x3A || byte == 0x2E
  }
}
