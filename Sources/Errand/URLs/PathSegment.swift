public import Foundation

extension DefaultStringInterpolation {
  /// Writes a value as one segment of a ``Request/path``, whatever is in it: `"users/\(segment: name)/posts"`.
  ///
  /// All but letters, digits and `-._~` is percent-encoded in UTF-8 (RFC 3986 section 2), `/`, `?`, `#`, `%` and `;`
  /// among it: the server gets the value back as it was, and nothing in it ends the segment or begins a query. Two values
  /// no encoding makes safe, as servers and proxies judge a path decoded: one that is empty, and one that is `.` or `..`, or has
  /// them between slashes or backslashes, such as `../admin`. A request whose path has one fails while it is built, with
  /// ``RequestError/Kind/invalidURL``. In a whole URL only the empty one does: servers name URLs with any escapes, and those are
  /// sent as they are, so put text from outside into a path under a base.
  ///
  /// Text with slashes of its own, such as the path of a file, is written segment by segment. A ``Secret`` is revealed:
  /// `"doors/\(segment: code.reveal())/open"`.
  public mutating func appendInterpolation(segment value: some LosslessStringConvertible) {
    appendLiteral(PathSegment.encode(value.description))
  }

  /// Writes a UUID as one segment of a ``Request/path``: `"orders/\(segment: id)"`.
  public mutating func appendInterpolation(segment value: UUID) { appendLiteral(value.uuidString) }
}

/// One segment of a path (RFC 3986 section 3.3), made of a value or found in a path.
enum PathSegment {
  /// Stands for an empty value until the path is judged: a character that is for such use only, and is in no text.
  private static let emptyMark = Unicode.Scalar(UInt32(0xFDD0))!

  /// The value in percent-encoding.
  ///
  /// What no encoding makes safe stays recognizable to ``check(in:)``.
  static func encode(_ value: String) -> String {
    switch value {
    case "": String(emptyMark)
    case ".": "%2E"
    case "..": "%2E%2E"
    default: PercentEncoding.encodeAll(value)
    }
  }

  /// Refuses a path, or a URL, with a segment that was made of an empty value.
  static func checkEmpty(in path: String) throws(Refusal) {
    let text = path.replacing("%EF%B7%90", with: String(emptyMark))
    guard text.unicodeScalars.contains(emptyMark) else { return }
    let shown = text.unicodeScalars.map { $0 == emptyMark ? "<empty>" : String($0) }.joined()
    throw Refusal(
      "the path \(URLParts.shown(shown)) has a segment made of an empty value", kind: .invalidURL)
  }

  /// Refuses a relative path with a segment that was made of an empty value, or has dot segments behind escapes: servers
  /// and proxies decode first, also slashes, and follow them then.
  static func check(in path: String) throws(Refusal) {
    // Most have neither.
    guard !path.withBytes({ $0.allSatisfy { $0 != 0x25 && $0 < 0x80 } }) else { return }
    try checkEmpty(in: path)
    for segment in URLParts.splitQuery(of: path).path.utf8.split(separator: 0x2F)
    where segment.contains(0x25) {
      let decoded = PercentEncoding.decode(Array(segment)[...])
      let pieces = decoded.split(omittingEmptySubsequences: false) { $0 == 0x2F || $0 == 0x5C }
      guard pieces.contains(where: { $0 == [0x2E] || $0 == [0x2E, 0x2E] }) else { continue }
      throw Refusal(
        "the segment \(String(Substring(segment)).debugDescription) of the path \(URLParts.shown(path)) "
          + "is a dot segment once it is decoded, and leads elsewhere", kind: .invalidURL)
    }
  }
}
