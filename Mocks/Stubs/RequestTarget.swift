import Errand
import Foundation

/// The parts of a URL or request target, as written, and in normalized or decoded form.
struct RequestTarget: Sendable {
  /// The scheme and authority, as written in the URL or taken from `Host`; `nil` if unknown.
  var writtenOrigin: String?
  /// The path as written; a missing leading slash is added, except to `*`.
  let path: String
  /// The query as written, without `?`; `nil` without a query.
  let query: String?

  /// Splits the text by bytes, because a delimiter with a combining mark is a single `Character`.
  init(_ text: String) {
    var text = text
    self = text.withUTF8 { RequestTarget($0) }
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    let end = Self.index(in: bytes) { $0 == UInt8(ascii: "#") }
    let start = Self.lengthOfOrigin(in: UnsafeBufferPointer(rebasing: bytes[..<end]))
    writtenOrigin = start == 0 ? nil : String(decoding: bytes[..<start], as: UTF8.self)
    let rest = UnsafeBufferPointer(rebasing: bytes[start..<end])
    let mark = Self.index(in: rest) { $0 == UInt8(ascii: "?") }
    let path = String(decoding: rest[..<mark], as: UTF8.self)
    let isWhole = rest.first == UInt8(ascii: "/") || path == "*"
    self.path = isWhole ? path : "/" + path
    query = mark == rest.count ? nil : String(decoding: rest[(mark + 1)...], as: UTF8.self)
  }

  private static func lengthOfOrigin(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let scheme = index(in: bytes) { !isAlphanumeric($0) }
    guard scheme > 0, bytes.count >= scheme + 3, bytes[scheme] == UInt8(ascii: ":"),
      bytes[scheme + 1] == UInt8(ascii: "/"), bytes[scheme + 2] == UInt8(ascii: "/")
    else { return 0 }
    let authority = UnsafeBufferPointer(rebasing: bytes[(scheme + 3)...])
    return scheme + 3 + index(in: authority) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
  }

  @inline(__always)
  private static func index(in bytes: UnsafeBufferPointer<UInt8>, where matches: (UInt8) -> Bool) -> Int {
    var index = 0
    while index < bytes.count, !matches(bytes[index]) { index += 1 }
    return index
  }

  /// The lowercase scheme, host and port, without a default port; `nil` without a `writtenOrigin`.
  var origin: String? { writtenOrigin.map { Self.origin(Self.encodingHost($0).lowercased()) } }

  /// The components of the path, decoded if possible; an encoded slash stays inside a component.
  private(set) lazy var components: [String] = Self.components(of: path)

  /// The query items, sorted so that their order does not matter; `nil` without a query.
  private(set) lazy var queryItems: [QueryItem]? = query.map { QueryItem.items(of: $0).sorted() }

  static func components(of path: String) -> [String] { written(path).map(decoded) }

  static func written(_ path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
  }

  static func decoded(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    return text.removingPercentEncoding ?? String(text)
  }

  private static func origin(_ written: String) -> String {
    let scheme = written.prefix { $0 != ":" }
    let authority = written.dropFirst(scheme.count + 3)
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority[...]
    let port = [":", scheme == "https" ? ":443" : ":80"].first { host.hasSuffix($0) } ?? ""
    return "\(scheme)://\(host.dropLast(port.count))"
  }

  /// Returns `https://xn--bcher-kva.example` for `https://bücher.example`.
  private static func encodingHost(_ origin: String) -> String {
    origin.utf8.contains { $0 >= 0x80 } ? URL(string: origin)?.absoluteString ?? origin : origin
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  fileprivate var url: String { (writtenOrigin ?? "") + path }
}

struct EndpointPattern {
  let pattern: RequestPattern
  /// The decoded query items of the endpoint, including the items in the path and in the base URL.
  ///
  /// If `query` or `parameters` cannot be encoded, the items of that property are missing.
  let queryItems: [(name: String, value: String)]

  init(of request: some Request) {
    if let custom = request.customRequest {
      let target = RequestTarget(custom.url.absoluteString)
      pattern = RequestPattern(custom.method, url: Self.literal(target.url))
      queryItems = FormItems(target.query ?? "").items
      return
    }
    let base = request.usesCDN ? request.cdnURL : request.baseURL
    let path = RequestTarget(request.path)
    pattern = RequestPattern(request.method, url: Self.url(path, of: request.path, under: base))
    let queries = [base.flatMap { RequestTarget($0.absoluteString).query }, path.query].compactMap { $0 }
    queryItems = (queries + Self.queries(of: request)).flatMap { FormItems($0).items }
  }

  /// Returns the URL for the pattern.
  ///
  /// A relative path without a base URL matches any origin and base path.
  private static func url(_ path: RequestTarget, of text: String, under base: URL?) -> String {
    if path.writtenOrigin != nil { return literal(path.url) }
    let isBase = path.path == "/" && !text.hasPrefix("/")
    guard let base else { return isBase ? "**" : "**\(literal(path.path))" }
    let stem = literal(RequestTarget(base.absoluteString).url)
    if isBase { return stem }
    return (stem.hasSuffix("/") ? String(stem.dropLast()) : stem) + literal(path.path)
  }

  private static func literal(_ text: String) -> String {
    text.replacingOccurrences(of: "*", with: "%2A").replacingOccurrences(of: "{", with: "%7B")
  }

  private static func queries(of request: some Request) -> [String] {
    let encoding = request.requestSerializer.encoding
    let areQuery = request.method.putsParametersInQuery || !request.body.isAutomatic
    let parameters = areQuery ? request.parameters : [:]
    return [parameters, request.query].compactMap { try? encoding.encode($0) }
  }
}
