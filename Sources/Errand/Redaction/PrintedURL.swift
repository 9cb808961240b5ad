import Foundation

/// A printed URL as a URL again: its markers are percent-encoded, because no `<` stands in a URL, and are printed as they were.
enum PrintedURL {
  private static let encodedMarker = "%3Credacted%3E"

  /// The URL that a printed one stands for; `nil` when it is none.
  static func url(from text: String) -> URL? {
    // Foundation would encode the escapes beside a `<` once more.
    var text = text.replacing(Redaction.marker, with: encodedMarker)
    // In the place of a port or an address a marker is read as a part of the host's name.
    if let authority = authority(of: text), text[authority].contains(encodedMarker) {
      let name = PercentEncoding.repair(text[authority], keeping: PercentEncoding.isUnreserved)
      text.replaceSubrange(authority, with: name)
    }
    return URL(string: text)
  }

  /// The text of a URL with its markers as they were printed.
  static func decodingMarkers(in text: String) -> String {
    guard text.utf8.contains(0x25), text.contains(encodedMarker) else { return text }
    var text = text
    if let authority = authority(of: text), text[authority].contains(encodedMarker) {
      let name = String(decoding: PercentEncoding.decode(text[authority]), as: UTF8.self)
      text.replaceSubrange(authority, with: name)
    }
    return text.replacing(encodedMarker, with: Redaction.marker)
  }

  /// Host and port of the text of a URL, behind the user info.
  private static func authority(of text: String) -> Range<String.Index>? {
    guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
    let rest = text.utf8[start...]
    let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
    let at = rest[..<end].lastIndex(of: 0x40)
    return (at.map { rest.index(after: $0) } ?? start)..<end
  }
}
