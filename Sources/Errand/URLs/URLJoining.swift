package import Foundation

/// Joins base, path and query into the URL of a request.
///
/// An absolute URL in the path replaces the base.
enum URLJoining {
  /// Returns the URL.
  ///
  /// The percent-encoded pieces of `query` follow the queries of base and path.
  static func url(base: String?, path: String, query: [String]) throws(Refusal) -> URL {
    if URLParts.isData(path) { return try dataURL(path, query: query) }
    if let parts = URLParts(absolute: path) {
      try PathSegment.checkEmpty(in: path)
      guard query.allSatisfy(\.isEmpty) else { return try parts.url(adding: query) }
      // The URL may come from a server, so its query keeps leading and trailing `&`.
      return try parts.url(userInfo: parts.userInfo, path: parts.path, query: parts.writtenQuery)
    }
    guard let base, !base.isEmpty else {
      throw Refusal("there is no base URL for the path \(URLParts.shown(path))", kind: .invalidURL)
    }
    if URLParts.isData(base), path.isEmpty { return try dataURL(base, query: query) }
    guard !isPadded(base), var parts = URLParts(absolute: base) else { throw notABase(base) }
    try PathSegment.check(in: path)
    let (relative, relativeQuery) = URLParts.splitQuery(of: path)
    parts.append(path: relative)
    return try parts.url(adding: [String(relativeQuery)] + query)
  }

  static func isAbsolute(_ path: String) -> Bool { URLParts.isData(path) || URLParts(absolute: path) != nil }

  static func check(_ url: URL) throws(Refusal) -> URL {
    let text = url.absoluteString
    guard isAbsolute(text) else {
      throw Refusal("the URL \(URLParts.shown(text)) has no scheme or no host", kind: .invalidURL)
    }
    return try self.url(base: nil, path: text, query: [])
  }

  /// Returns the resolved path if a relative path leads outside of the base; otherwise `nil`.
  ///
  /// Dot segments are resolved as in RFC 3986 section 5.2.4.
  static func placeOutside(base: String, path: String) -> String? {
    guard !isAbsolute(path), let root = URLParts(absolute: base) else { return nil }
    var joined = root
    joined.append(path: URLParts.splitQuery(of: path).path)
    let place = URLParts.withoutDotSegments(joined.path)
    var stem = URLParts.withoutDotSegments(root.path)
    if stem.utf8.last != 0x2F { stem += "/" }
    return "\(place)/".utf8.starts(with: stem.utf8) ? nil : place
  }

  static func isPadded(_ base: String) -> Bool {
    base.utf8.first.map(ASCII.isWhitespace) == true || base.utf8.last.map(ASCII.isWhitespace) == true
  }

  private static func notABase(_ base: String) -> Refusal {
    let shown = URLParts.shown(base, isBase: true)
    // `URL(string:)` encodes a leading space as `%20`.
    if isPadded(base) || base.hasPrefix("%20") {
      let place = base.utf8.first.map(ASCII.isWhitespace) == true || base.hasPrefix("%20") ? "begins" : "ends"
      return Refusal(
        "the base URL \(shown) \(place) with white space: remove the white space", kind: .invalidURL)
    }
    return URLParts.isData(base)
      ? Refusal("the data URL \(shown) cannot be the base of a path", kind: .invalidURL)
      : Refusal("the base URL \(shown) has no scheme: begin the URL with https://", kind: .invalidURL)
  }

  /// Returns a data URL.
  ///
  /// Refuses a query, because a `?` in a data URL belongs to the data.
  private static func dataURL(_ text: String, query: [String]) throws(Refusal) -> URL {
    try PathSegment.checkEmpty(in: text)
    guard query.allSatisfy(\.isEmpty) else {
      throw Refusal("the data URL \(URLParts.shown(text)) cannot take a query", kind: .invalidURL)
    }
    let content = URLParts.withoutFragment(text).utf8.dropFirst("data:".utf8.count)
    let repaired = PercentEncoding.encodeDisallowed(in: Substring(content), allowing: URLParts.isQueryByte)
    guard let url = URL(string: "data:" + repaired) else {
      throw Refusal("the data URL \(URLParts.shown(text)) cannot be read", kind: .invalidURL)
    }
    return url
  }

  /// Separates the credentials from a URL, because logs and errors show URLs.
  static func userInfo(of url: URL) throws(Refusal) -> (credentials: BasicCredentials?, stripped: URL) {
    let text = url.absoluteString
    guard text.withBytes({ $0.contains(0x40) }) else { return (nil, url) }
    guard let parts = URLParts(absolute: text), let userInfo = parts.userInfo else { return (nil, url) }
    let stripped = String(text[..<userInfo.startIndex]) + text[text.utf8.index(after: userInfo.endIndex)...]
    guard let url = URL(string: stripped) else {
      throw Refusal("the URL \(URLParts.shown(text)) cannot be read", kind: .invalidURL)
    }
    return (try credentials(userInfo, of: text), url)
  }

  private static func credentials(
    _ userInfo: Substring, of text: String
  ) throws(Refusal) -> BasicCredentials? {
    guard !userInfo.isEmpty else { return nil }
    let colon = userInfo.utf8.firstIndex(of: 0x3A) ?? userInfo.endIndex
    let username = String(decoding: PercentEncoding.decode(userInfo[..<colon]), as: UTF8.self)
    let password = String(decoding: PercentEncoding.decode(userInfo[colon...]).dropFirst(), as: UTF8.self)
    guard let credentials = BasicCredentials(username: username, password: password) else {
      throw Refusal(
        "the user name or password in the URL \(URLParts.shown(text)) has a colon or a control character "
          + "that Basic credentials cannot carry", kind: .invalidURL)
    }
    return credentials
  }
}

extension URL {
  package func adding(query: Parameters) throws -> URL {
    try URLJoining.url(base: absoluteString, path: "", query: [RequestSerializer.form.query(of: query)])
  }

  package var shownText: String { URLParts.shown(absoluteString) }
}
