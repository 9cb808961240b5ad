import Foundation

extension URLParts {
  /// The URL that a reference found at this one means (RFC 3986 section 5.2), encoded as far as it must be.
  ///
  /// Its fragment and user info are dropped, its query stays as written. `nil` when it is no URL: http and https are
  /// judged as everywhere else, and need an authority also where they repeat the scheme (`http:g`). A URL of another
  /// scheme is given as it is, for the caller to judge.
  func resolve(_ reference: String) -> URL? {
    let reference = Self.withoutFragment(Self.trimmed(reference))
    if let scheme = Self.leadingScheme(of: reference) {
      if ["http", "https"].contains(scheme.lowercased()) { return Self.exact(String(reference)) }
      return URL(string: PercentEncoding.repair(reference, keeping: Self.isQueryByte))
    }
    if reference.utf8.starts(with: "//".utf8) { return Self.exact("\(scheme):\(reference)") }
    let authority = port.map { "\(host):\($0)" } ?? String(host)
    return Self.exact("\(scheme)://\(authority)\(relative(reference))")
  }

  /// Path and query of a reference without an authority.
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

  /// The path up to its last `/`, which also stands in for an empty one.
  private var directory: String {
    path.utf8.lastIndex(of: 0x2F).map { String(path[...$0]) } ?? "/"
  }

  /// The URL of absolute text, without user info and dot segments.
  private static func exact(_ text: String) -> URL? {
    guard let parts = URLParts(absolute: text) else { return nil }
    return try? parts.url(userInfo: nil, path: withoutDotSegments(parts.path), query: parts.writtenQuery)
  }

  /// RFC 3986 section 5.2.4, for a path that is empty or begins with `/`.
  static func withoutDotSegments(_ path: String) -> String {
    let segments = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst()
    guard let last = segments.indices.last else { return path }
    var kept: [Substring] = []
    for index in segments.indices {
      let segment = Substring(segments[index])
      let isDots = segment == "." || segment == ".."
      if segment == ".." { _ = kept.popLast() }
      if !isDots { kept.append(segment) } else if index == last { kept.append("") }
    }
    return "/" + kept.joined(separator: "/")
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
}
