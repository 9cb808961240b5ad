import Foundation

/// A URL, a request target or a stub's URL, taken apart so that different spellings of one place compare equal.
struct RequestTarget: Sendable {
  /// Scheme, host and port in lower case, the scheme's own port left out; `nil` for a target that starts with the
  /// path.
  var origin: String?
  /// The path as written, up to the query; a missing leading slash is added.
  let path: String
  /// The query as written, without its `?`; `nil` when there is none.
  let query: String?

  init(_ text: String) {
    let whole = text.prefix { $0 != "#" }
    let scheme = whole.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    var rest = whole
    if !scheme.isEmpty, whole.dropFirst(scheme.count).hasPrefix("://") {
      let authority = whole.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
      origin = Self.origin(scheme: scheme.lowercased(), authority: authority.lowercased())
      rest = whole[authority.endIndex...]
    } else {
      origin = nil
    }
    let path = rest.prefix { $0 != "?" }
    self.path = path.hasPrefix("/") || path == "*" ? String(path) : "/\(path)"
    query = path.endIndex == rest.endIndex ? nil : String(rest[path.endIndex...].dropFirst())
  }

  /// The path between its slashes, percent-decoded after the split, so that an encoded slash stays inside.
  var components: [String] { Self.components(of: path) }

  /// The query's items, percent-decoded and sorted, so that their order does not count.
  var queryItems: [String]? {
    query.map { $0.split(separator: "&").map(Self.decoded).sorted() }
  }

  static func components(of path: String) -> [String] {
    path.split(separator: "/", omittingEmptySubsequences: false).map(decoded)
  }

  private static func decoded(_ text: Substring) -> String {
    text.removingPercentEncoding ?? String(text)
  }

  private static func origin(scheme: String, authority: String) -> String {
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority[...]
    let ownPort = scheme == "https" ? ":443" : ":80"
    return "\(scheme)://\(host.hasSuffix(ownPort) ? host.dropLast(ownPort.count) : host)"
  }
}
