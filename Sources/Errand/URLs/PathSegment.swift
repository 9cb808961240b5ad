public import Foundation

extension DefaultStringInterpolation {
  /// Writes a value as a single segment of a ``Request/path``: `"users/\(segment: name)/posts"`.
  ///
  /// The value is percent-encoded in UTF-8 (RFC 3986 section 2). In a relative path, an empty value or a dot
  /// segment such as `..` fails with ``RequestError/Kind/invalidURL``. Put untrusted text only into a
  /// relative path.
  ///
  /// Reveal a ``Secret`` explicitly: `"doors/\(segment: code.reveal())/open"`.
  public mutating func appendInterpolation(segment value: some LosslessStringConvertible) {
    appendLiteral(PathSegment.encode(value.description))
  }

  /// Writes a UUID as a single segment of a ``Request/path``: `"orders/\(segment: id)"`.
  public mutating func appendInterpolation(segment value: UUID) { appendLiteral(value.uuidString) }
}

enum PathSegment {
  /// A Unicode noncharacter that stands for an empty value until the path is checked.
  private static let emptyMark = Unicode.Scalar(UInt32(0xFDD0))!

  static func encode(_ value: String) -> String {
    switch value {
    case "": String(emptyMark)
    case ".": "%2E"
    case "..": "%2E%2E"
    default: PercentEncoding.encodeAll(value)
    }
  }

  /// Throws if the path contains ``emptyMark``, plain or percent-encoded.
  static func checkEmpty(in path: String) throws(Refusal) {
    let text = path.replacing("%EF%B7%90", with: String(emptyMark))
    guard text.unicodeScalars.contains(emptyMark) else { return }
    throw Refusal(
      "the path \(URLParts.shown(shown(text))) has a segment made of an empty value", kind: .invalidURL)
  }

  static func shown(_ path: String) -> String {
    guard path.unicodeScalars.contains(emptyMark) else { return path }
    return path.unicodeScalars.map { $0 == emptyMark ? "<empty>" : String($0) }.joined()
  }

  /// Throws for an empty value, and for an escaped segment that contains a dot segment when decoded.
  static func check(in path: String) throws(Refusal) {
    guard !path.withBytes({ $0.allSatisfy { $0 != 0x25 && $0 < 0x80 } }) else { return }
    try checkEmpty(in: path)
    for segment in URLParts.splitQuery(of: path).path.utf8.split(separator: 0x2F)
    where segment.contains(0x25) {
      let decoded = PercentEncoding.decode(Array(segment)[...])
      let pieces = decoded.split(omittingEmptySubsequences: false) { $0 == 0x2F || $0 == 0x5C }
      guard pieces.contains(where: { $0 == [0x2E] || $0 == [0x2E, 0x2E] }) else { continue }
      throw Refusal(
        "the segment \(String(Substring(segment)).debugDescription) of the path \(URLParts.shown(path)) "
          + "becomes a dot segment when decoded, which changes the path", kind: .invalidURL)
    }
  }
}
