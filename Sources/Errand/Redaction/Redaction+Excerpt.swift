package import Foundation

extension Redaction {
  /// Returns the beginning of a body for people, with secrets hidden and control characters written out.
  ///
  /// A `…` at the end stands for the omitted characters. Bytes without text are shown as their count.
  ///
  /// - Parameters:
  ///   - body: the bytes of the body.
  ///   - type: the `Content-Type`.
  ///   - length: the maximum number of characters.
  ///   - isOneLine: true if line breaks become spaces.
  package func excerpt(of body: Data, type: String?, length: Int, isOneLine: Bool = false) -> String {
    // Enough bytes for the visible characters and for the secrets between the visible characters.
    let piece = body.prefix(excerptMargin + 4 * min(length, body.count))
    let shown = self.body(piece, contentType: type)
    if piece.count < body.count, shown == "(\(piece.count) bytes)" { return "(\(body.count) bytes)" }
    let text = isOneLine ? shown.onOneLine : shown
    // Counting characters is unnecessary if the number of bytes is within the limit.
    if piece.count == body.count, text.utf8.count <= length { return text }
    let isCut = piece.count < body.count || text.dropFirst(length).first != nil
    return "\(text.prefix(length))\(isCut ? "…" : "")"
  }

  /// The number of bytes that are inspected in addition to the visible characters.
  private var excerptMargin: Int { 65_536 }
  /// The maximum number of body characters in an error message.
  static let shortExcerpt = 200
  /// The maximum number of body characters in a debug description.
  static let longExcerpt = 16_384
}
