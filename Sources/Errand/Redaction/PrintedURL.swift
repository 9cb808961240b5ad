import Foundation

/// Converts redacted URLs between text and `URL`.
enum PrintedURL {
  private static let encodedMarker = "%3Credacted%3E"

  static func url(from text: String) -> URL? {
    // The marker is percent-encoded, because Foundation encodes other escapes twice in a component with `<`.
    var text = text.replacing(Redaction.marker, with: encodedMarker)
    // In the authority, all special characters are encoded, because a marker as port would make the URL
    // invalid.
    if let authority = authority(of: text), text[authority].contains(encodedMarker) {
      let name = PercentEncoding.encodeDisallowed(in: text[authority], allowing: PercentEncoding.isUnreserved)
      text.replaceSubrange(authority, with: name)
    }
    return URL(string: text)
  }

  static func decodingMarkers(in text: String) -> String {
    guard text.utf8.contains(0x25), text.contains(encodedMarker) else { return text }
    var text = text
    if let authority = authority(of: text), text[authority].contains(encodedMarker) {
      let name = String(decoding: PercentEncoding.decode(text[authority]), as: UTF8.self)
      text.replaceSubrange(authority, with: name)
    }
    return text.replacing(encodedMarker, with: Redaction.marker)
  }

  /// Returns the start of a `data` URL, including the comma before the content (RFC 2397).
  ///
  /// Returns `nil` for another scheme, or without content.
  static func headOfDataURL(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.prefix(4).map({ $0 | 0x20 }).elementsEqual("data".utf8), bytes.dropFirst(4).first == 0x3A,
      let comma = bytes.firstIndex(of: UInt8(ascii: ",")), comma < bytes.index(before: bytes.endIndex)
    else { return nil }
    return Array(bytes[...comma])
  }

  private static func authority(of text: String) -> Range<String.Index>? {
    guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
    let rest = text.utf8[start...]
    let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
    let at = rest[..<end].lastIndex(of: 0x40)
    return (at.map { rest.index(after: $0) } ?? start)..<end
  }
}
