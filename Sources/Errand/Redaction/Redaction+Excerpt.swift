package import Foundation

extension Redaction {
  /// Returns the beginning of a redacted body; `…` marks omitted characters.
  ///
  /// `length` is the maximum number of characters.
  package func excerpt(of body: Data, type: String?, length: Int, isOneLine: Bool = false) -> String {
    // Usually enough bytes for `length` characters. The margin is for secrets longer than the marker.
    let piece = body.prefix(excerptMargin + 4 * min(length, body.count))
    let shown = self.body(piece, contentType: type)
    if piece.count < body.count, shown == "(\(piece.count) bytes)" { return "(\(body.count) bytes)" }
    let text = isOneLine ? shown.onOneLine : shown
    if piece.count == body.count, text.utf8.count <= length { return text }
    let isCut = piece.count < body.count || text.dropFirst(length).first != nil
    return "\(text.prefix(length))\(isCut ? "…" : "")"
  }

  private var excerptMargin: Int { 65_536 }
  /// The length in characters for a part of a line, such as in an error message.
  static let shortExcerpt = 200
  /// The length in characters for the debug description of a request or a response.
  static let longExcerpt = 16_384
}
