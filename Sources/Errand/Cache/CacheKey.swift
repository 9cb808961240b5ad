package import Foundation

/// The key of stored responses: a canonical URL and the name of a ``CredentialPartition``.
///
/// For methods other than GET and HEAD, and for requests with a body, `url` also has the method and a digest.
package struct CacheKey: Sendable, Hashable {
  let url: String
  let partition: String

  init(url: String, partition: String) {
    (self.url, self.partition) = (url, partition)
  }

  init?(_ http: HTTPRequest, policy: CachePolicy, partition: String) {
    guard http.trailers.isEmpty, var text = Self.canonical(http.url, ignoring: policy.ignoredItems) else {
      return nil
    }
    let isPlain = http.method == .get || http.method == .head
    if !isPlain || !http.body.isEmpty {
      guard http.body.isEmpty || http.body.data != nil else { return nil }
      let described = ["Content-Type", "Content-Encoding"].map { Data((http.headers[$0] ?? "").utf8) }
      text += " \(http.method.token) \(Self.digest(described + [http.body.data ?? Data()]))"
    }
    (url, self.partition) = (text, partition)
  }

  static func canonical(_ url: URL, ignoring ignored: Set<String> = []) -> String? {
    var whole = url.absoluteString
    if ignored.isEmpty, whole.withUTF8(isCanonical) { return whole }
    guard let origin = Origin(url), let parts = URLParts(absolute: url.absoluteString) else { return nil }
    let path = parts.path.isEmpty ? "/" : parts.path
    guard url.absoluteString.utf8.contains(0x3F) else { return origin.shownText + path }
    let query = ordered(parts.query, ignoring: ignored)
    return origin.shownText + path + (query.isEmpty && !parts.query.isEmpty ? "" : "?" + query)
  }

  /// Returns the URLs that an unsafe request invalidates (RFC 9111 section 4.4); none after an HTTP error.
  static func invalidated(by head: HTTPResponse, to url: URL, ignoring ignored: Set<String>) -> [String] {
    guard head.status.isSuccess || head.status.isRedirection else { return [] }
    let places = ["Location", "Content-Location"].compactMap { head.headers[$0] }
      .compactMap { URL(string: $0, relativeTo: url)?.absoluteURL }.filter { Origin.same($0, url) }
    return ([url] + places).flatMap { canonical($0, withAndWithout: ignored) }
  }

  static func canonical(_ url: URL, withAndWithout ignored: Set<String>) -> [String] {
    (ignored.isEmpty ? [[]] : [[], ignored]).compactMap { canonical(url, ignoring: $0) }
  }

  /// A fast check for a canonical URL; misses some canonical URLs.
  private static func isCanonical(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count > 8, text[0] == 0x68, text[1] == 0x74, text[2] == 0x74, text[3] == 0x70 else {
      return false
    }
    var place = text[4] == 0x73 ? 5 : 4
    guard text[place] == 0x3A, text[place + 1] == 0x2F, text[place + 2] == 0x2F else { return false }
    place += 3
    let host = place
    while place < text.count, text[place] != 0x2F {
      let byte = text[place]
      guard (0x61...0x7A).contains(byte) || ASCII.isDigit(byte) || byte == 0x2E || byte == 0x2D else {
        return false
      }
      place += 1
    }
    guard place > host, place < text.count else { return false }
    while place < text.count {
      if text[place] == 0x23 || text[place] == 0x26 { return false }
      place += 1
    }
    return true
  }

  private static func ordered(_ query: Substring, ignoring ignored: Set<String>) -> String {
    guard !ignored.isEmpty || query.utf8.contains(0x26) else { return String(query) }
    let items = query.utf8.split(separator: 0x26, omittingEmptySubsequences: false).map { item in
      let name = PercentEncoding.decode(Array(item.prefix { $0 != 0x3D })[...], plusIsBlank: true)
      return (name: String(decoding: name, as: UTF8.self), text: String(decoding: item, as: UTF8.self))
    }
    return items.filter { !ignored.contains($0.name) }.enumerated()
      .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
      .map(\.element.text).joined(separator: "&")
  }

  /// Returns a SHA-256 in hexadecimal.
  ///
  /// Each part has a length prefix, so that differently divided parts have different digests.
  package static func digest(_ parts: [Data]) -> String {
    var sum = RunningSum(.sha256)
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).littleEndian) { sum.update($0) }
      part.withUnsafeBytes { sum.update($0) }
    }
    return sum.digest().map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}

extension CacheKey: PrintedByDescription {
  /// The URL, perhaps with method and digest, with secrets hidden by ``Redaction/standard``.
  package var description: String { Redaction.standard.url(text: url).printed }
}
