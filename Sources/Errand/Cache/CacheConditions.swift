import Foundation

/// A request's own preconditions (RFC 9111 section 4.3.2).
struct CacheConditions: Sendable {
  private let tags: String?
  private let date: String?
  /// True for preconditions that the cache leaves to the server.
  let areForServer: Bool

  init?(_ headers: HTTPHeaders) {
    tags = headers["If-None-Match"]
    // `If-Modified-Since` counts only without `If-None-Match` (RFC 9110 section 13.1.3).
    date = tags == nil ? headers["If-Modified-Since"] : nil
    areForServer = ["If-Match", "If-Unmodified-Since", "If-Range"].contains(where: headers.contains)
    if tags == nil, date == nil, !areForServer { return nil }
  }

  func areMet(by stored: CachedResponse) -> Bool {
    if let tags {
      // RFC 9110 section 13.1.2: `*` matches any stored response.
      if tags == "*" { return true }
      guard let tag = stored.headers["ETag"] else { return false }
      // Some clients and servers omit the quotes of entity tags.
      let known = Self.unquoted(Self.opaque(tag))
      return Self.list(tags).contains { Self.unquoted(Self.opaque($0)) == known }
    }
    guard let date = date.flatMap({ HTTPDate.parse($0, now: stored.received) }) else { return false }
    let changed = (stored.headers["Last-Modified"] ?? stored.headers["Date"]).flatMap {
      HTTPDate.parse($0, now: stored.received)
    }
    return changed.map { $0 <= date } ?? (stored.received <= date)
  }

  private static func list(_ text: String) -> [Substring] {
    var (tags, start, isQuoted) = ([Substring](), text.startIndex, false)
    for index in text.utf8.indices {
      switch text.utf8[index] {
      case 0x22: isQuoted.toggle()
      case 0x2C where !isQuoted:
        tags.append(text[start..<index])
        start = text.utf8.index(after: index)
      default: break
      }
    }
    return (tags + [text[start...]]).map { tag in
      let trimmed = tag.drop { $0 == " " || $0 == "\t" }
      return trimmed.lastIndex { $0 != " " && $0 != "\t" }.map { trimmed[...$0] } ?? ""
    }
  }

  private static func unquoted(_ tag: Substring) -> Substring {
    tag.count >= 2 && tag.first == "\"" && tag.last == "\"" ? tag.dropFirst().dropLast() : tag
  }

  /// Removes `W/` for the weak comparison (RFC 9110 section 8.8.3.2).
  static func opaque(_ tag: some StringProtocol) -> Substring {
    tag.hasPrefix("W/") ? Substring(tag.dropFirst(2)) : Substring(tag)
  }
}
