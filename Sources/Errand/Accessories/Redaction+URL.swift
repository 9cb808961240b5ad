public import Foundation

extension Redaction {
  /// The URL as text, with user info and the values of secret query items replaced by ``marker``.
  ///
  /// The fragment is treated like the query, as some servers hand out tokens there (RFC 6749 section 4.2.2), and so
  /// are URLs within values. Where the text does not parse, as with a password that has a `/` in it, all up to its last `@` is
  /// hidden, and no port is shown that is not digits. Known values are hidden in its path too. The text is worked on as it is, so that no URL is too odd.
  /// A ``marker`` that a URL has in percent-encoding, as that of a report that was read, is written out.
  public func url(_ url: URL) -> String { self.url(text: url.absoluteString) }

  /// The same of a text that may be no URL, such as the target of a request.
  package func url(text: String, depth: Int = 0) -> String {
    guard !hidesNothing else { return text }
    let bytes = hidingValues(Array(text.utf8))
    let shown = hidesNoNames ? bytes : url(bytes: bytes[...], depth: depth)
    return Self.decodingMarkers(in: String(decoding: shown, as: UTF8.self))
  }

  /// Goes by names only.
  func url(bytes: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes
    if hidesSecretNames, let hidden = HiddenUserInfo.range(in: bytes) {
      result.append(contentsOf: bytes[..<hidden.lowerBound])
      result.append(contentsOf: Self.marker.utf8)
      rest = bytes[hidden.upperBound...]
    }
    let start = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    result.append(contentsOf: rest[..<start])
    rest = rest[start...]
    while let mark = rest.popFirst() {
      let end = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
      result.append(mark)
      pairs(rest[..<end], in: .queryItem, depth: depth, into: &result)
      rest = rest[end...]
    }
    return result
  }
}
