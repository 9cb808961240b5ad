import Foundation

extension URLParts {
  func url(adding pieces: [some StringProtocol]) throws(Refusal) -> URL {
    try url(
      userInfo: userInfo, path: path, query: Self.joined([query] + pieces.map { Substring($0) }))
  }

  /// Returns the checked URL.
  ///
  /// `query` is empty, or starts with `?` and is percent-encoded.
  func url(userInfo: Substring?, path: String, query: String) throws(Refusal) -> URL {
    let scheme = try servedScheme()
    try checkUserInfo()
    var result = "\(scheme)://"
    if let userInfo, !userInfo.isEmpty {
      result += PercentEncoding.encodeDisallowed(in: userInfo, allowing: Self.isUserInfoByte) + "@"
    }
    result += try servedHost()
    if let port = try servedPort() { result += ":\(port)" }
    result += PercentEncoding.encodeDisallowed(in: path, allowing: Self.isPathByte)
    result += query
    guard let url = URL(string: result), url.host?.isEmpty == false else {
      throw Refusal("the URL \(Self.shown(text)) cannot be read", kind: .invalidURL)
    }
    return url
  }

  /// The percent-encoded query with the `?`.
  ///
  /// Keeps leading and trailing `&`, unlike ``joined(_:)``.
  var writtenQuery: String {
    let hasQuery = Self.withoutFragment(text).utf8.contains(0x3F)
    return hasQuery ? "?" + PercentEncoding.encodeDisallowed(in: query, allowing: Self.isQueryByte) : ""
  }

  private func servedScheme() throws(Refusal) -> String {
    let lowercased = scheme.lowercased()
    guard lowercased == "http" || lowercased == "https" else {
      throw Refusal(
        "the scheme \"\(scheme)\" of \(Self.shown(text)) is not supported: use http, https or data",
        kind: .invalidURL)
    }
    return lowercased
  }

  /// Returns the port number; `nil` for a missing or empty port (RFC 3986 section 3.2.3).
  private func servedPort() throws(Refusal) -> UInt16? {
    guard let port, !port.isEmpty else { return nil }
    guard port.utf8.allSatisfy(ASCII.isDigit) else {
      throw Refusal(
        "the port of \(Self.shown(text)) is not a number: encode /, ? and # in a password as %2F, %3F and %23",
        kind: .invalidURL)
    }
    guard let number = UInt16(port), number > 0 else {
      throw Refusal(
        "the port \(String(port).debugDescription) of \(Self.shown(text)) is not in 1...65535",
        kind: .invalidURL)
    }
    return number
  }

  /// Throws for a backslash, because some parsers read `http://a\@b` as host `a`.
  private func checkUserInfo() throws(Refusal) {
    guard let userInfo, userInfo.utf8.contains(0x5C) else { return }
    throw Refusal(
      "the user info of \(Self.shown(text)) has a backslash: encode a backslash in a password as %5C",
      kind: .invalidURL)
  }

  private func servedHost() throws(Refusal) -> String {
    guard !host.isEmpty else {
      throw Refusal("the URL \(Self.shown(text)) has no host", kind: .invalidURL)
    }
    if host.utf8.first == 0x5B { return try servedAddress() }
    let bytes = PercentEncoding.decode(host)
    guard bytes.allSatisfy({ $0 >= 0x80 || Self.isHostByte($0) }) else { throw badHost }
    let decoded = String(decoding: bytes, as: UTF8.self)
    guard decoded.utf8.elementsEqual(bytes) else { throw badHost }
    let name = bytes.contains { $0 >= 0x80 } ? try asciiHost(decoded) : decoded
    switch NumericHost.read(name) {
    case .name: return name
    case .address(let address): return address
    case .invalid:
      throw Refusal(
        "the host \(shownHost) of \(Self.shown(text)) ends in a number, but is not an IPv4 address",
        kind: .invalidURL)
    }
  }

  /// Returns the host name in ASCII (RFC 5891).
  private func asciiHost(_ name: String) throws(Refusal) -> String {
    guard let ascii = URLComponents(string: "http://\(name)/")?.encodedHost, !ascii.isEmpty,
      ascii.utf8.allSatisfy(Self.isHostByte)
    else { throw badHost }
    return ascii
  }

  /// Returns the checked IPv6 address, with or without a zone (RFC 6874): `[fe80::1%25eth0]`.
  private func servedAddress() throws(Refusal) -> String {
    let inner = Substring(host.utf8.dropFirst().dropLast())
    let address = inner.utf8.prefix { $0 != 0x25 }
    let zone = inner.utf8[address.endIndex...]
    let isZone =
      zone.isEmpty
      || (zone.starts(with: "%25".utf8) && zone.count > 3
        && zone.dropFirst(3).allSatisfy(PercentEncoding.isUnreserved))
    guard host.utf8.last == 0x5D, isZone, address.contains(0x3A), address.allSatisfy(Self.isAddressByte)
    else { throw badHost }
    guard IPAddress(host) != nil else {
      throw Refusal(
        "the host \(shownHost) of \(Self.shown(text)) is not an IPv6 address", kind: .invalidURL)
    }
    return String(host)
  }

  private var badHost: Refusal {
    Refusal(
      "the host \(shownHost) of \(Self.shown(text)) has a forbidden character",
      kind: .invalidURL)
  }

  private var shownHost: String { isHostShown ? String(host).debugDescription : Redaction.marker }

  /// Joins pieces into a query with the `?`.
  ///
  /// Leading and trailing `&` of each piece are removed.
  static func joined(_ pieces: [Substring]) -> String {
    guard !pieces.isEmpty else { return "" }
    let trimmed = pieces.map { piece in
      let start = piece.utf8.drop { $0 == 0x26 }
      let end = start.lastIndex { $0 != 0x26 }.map { start.index(after: $0) } ?? start.startIndex
      return PercentEncoding.encodeDisallowed(in: Substring(start[..<end]), allowing: isQueryByte)
    }
    let kept = trimmed.filter { !$0.isEmpty }
    return kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
  }

  /// Resolves a reference against this URL (RFC 3986 section 5.2), and drops the fragment.
  ///
  /// User info and dot segments are removed from http and https URLs. For an http URL, the reference `http:g`
  /// is relative, as in browsers. A reference with a scheme such as `mailto` is only parsed.
  func resolve(_ reference: String) throws(Refusal) -> URL {
    var reference = Self.withoutFragment(Self.trimmed(reference))
    if let named = Self.leadingScheme(of: reference) {
      let rest = Substring(reference.utf8.dropFirst(named.utf8.count + 1))
      let isServed = ["http", "https"].contains(named.lowercased())
      if !isServed {
        guard
          let url = URL(string: PercentEncoding.encodeDisallowed(in: reference, allowing: Self.isQueryByte))
        else {
          throw Refusal("the URL cannot be read", kind: .invalidURL)
        }
        return url
      }
      let isRelative = named.lowercased() == scheme.lowercased() && !rest.utf8.starts(with: "//".utf8)
      guard isRelative else { return try Self.absoluteURL(from: String(reference)) }
      reference = rest
    }
    if reference.utf8.starts(with: "//".utf8) { return try Self.absoluteURL(from: "\(scheme):\(reference)") }
    let authority = port.map { "\(host):\($0)" } ?? String(host)
    return try Self.absoluteURL(from: "\(scheme)://\(authority)\(relative(reference))")
  }

  private func relative(_ reference: Substring) -> String {
    let (path, query) = Self.splitQuery(of: reference)
    let hasQuery = reference.utf8.count > path.utf8.count
    if path.isEmpty {
      if hasQuery { return "\(self.path)?\(query)" }
      return self.query.isEmpty ? self.path : "\(self.path)?\(self.query)"
    }
    let target = path.utf8.first == 0x2F ? String(path) : directory + path
    return hasQuery ? "\(target)?\(query)" : target
  }

  private var directory: String {
    path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) } ?? "/"
  }

  private static func absoluteURL(from text: String) throws(Refusal) -> URL {
    guard let parts = URLParts(absolute: text) else {
      throw Refusal("the URL has no host", kind: .invalidURL)
    }
    return try parts.url(userInfo: nil, path: withoutDotSegments(parts.path), query: parts.writtenQuery)
  }

  /// Removes dot segments (RFC 3986 section 5.2.4).
  ///
  /// The path must be empty or start with `/`.
  static func withoutDotSegments(_ path: String) -> String {
    let segments = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst()
    guard let last = segments.indices.last else { return path }
    var kept: [Substring] = []
    for index in segments.indices {
      let segment = Substring(segments[index])
      let dots = dots(segments[index])
      if dots == 2 { _ = kept.popLast() }
      if dots == 0 { kept.append(segment) } else if index == last { kept.append("") }
    }
    return "/" + kept.joined(separator: "/")
  }

  /// Returns 1 for `.` and 2 for `..`, plain or percent-encoded; 0 for any other segment.
  private static func dots(_ segment: Substring.UTF8View) -> Int {
    guard (1...6).contains(segment.count), segment.first == 0x2E || segment.first == 0x25 else { return 0 }
    let bytes = PercentEncoding.decode(Substring(segment))
    return bytes.count <= 2 && bytes.allSatisfy { $0 == 0x2E } ? bytes.count : 0
  }

  private static func leadingScheme(of text: Substring) -> Substring? {
    guard let first = text.utf8.first, ASCII.isLetter(first) else { return nil }
    let end = text.utf8.firstIndex { !isSchemeByte($0) } ?? text.endIndex
    return end < text.endIndex && text.utf8[end] == 0x3A ? text[..<end] : nil
  }

  private static func trimmed(_ text: String) -> Substring {
    let start = text.utf8.drop(while: ASCII.isWhitespace)
    let end = start.lastIndex { !ASCII.isWhitespace($0) }.map { start.index(after: $0) } ?? start.startIndex
    return text[start.startIndex..<end]
  }

  /// Returns a URL or path for an error message: quoted, shortened, and without user info, query and data.
  ///
  /// `isBase` is true for a base URL, in which text after a colon may be a password.
  static func shown(_ text: String, isBase: Bool = false) -> String {
    if isData(text) { return "\"data:…\"" }
    var shown = String(splitQuery(of: withoutPassword(text, isBase: isBase)).path)
    if let parts = URLParts(absolute: text), parts.userInfo != nil, parts.endsUserInfo,
      let mark = shown.firstRange(of: "\(Redaction.marker)@")
    {
      shown.removeSubrange(mark)
    }
    if shown.unicodeScalars.count > 200 {
      shown = String(String.UnicodeScalarView(shown.unicodeScalars.prefix(200))) + "…"
    }
    return shown.debugDescription
  }

  private static func withoutPassword(_ text: String, isBase: Bool) -> String {
    let bytes = Array(text.utf8)[...]
    if let hidden = HiddenUserInfo.range(in: bytes) {
      let (head, tail) = (bytes[..<hidden.lowerBound], bytes[hidden.upperBound...])
      return String(decoding: head + Array(Redaction.marker.utf8) + tail, as: UTF8.self)
    }
    if let parts = URLParts(absolute: text) {
      return parts.isHostPlain ? text : "\(parts.scheme)://\(Redaction.marker)\(parts.path)"
    }
    guard isBase, let colon = text.utf8.firstIndex(of: 0x3A) else { return text }
    let port = text.utf8[colon...].dropFirst().prefix { $0 != 0x2F }
    return port.allSatisfy(ASCII.isDigit) ? text : "\(text[...colon])\(Redaction.marker)"
  }

  var isHostShown: Bool { isHostPlain && endsUserInfo }

  /// True if ``HiddenUserInfo`` hides exactly the user info, if any.
  private var endsUserInfo: Bool {
    HiddenUserInfo.range(in: Array(text.utf8)[...])?.count == userInfo?.utf8.count
  }

  /// False if the host may contain a user name or password.
  private var isHostPlain: Bool {
    if host.utf8.first == 0x5B {
      let address = host.utf8.dropFirst().prefix { $0 != 0x25 && $0 != 0x5D }
      let zone = host.utf8[address.endIndex...]
      return address.allSatisfy(Self.isAddressByte)
        && zone.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == 0x25 || $0 == 0x5D }
    }
    let bytes = PercentEncoding.decode(host)
    return !bytes.contains(0x3A) && !bytes.contains(0x40)
  }
}
