package import Foundation

extension Redaction {
  /// The beginning of a body for people, wherever one is shown: secrets hidden, control characters written out, `…` for the rest.
  ///
  /// Bytes that are no text are counted.
  ///
  /// - Parameters:
  ///   - length: how many characters are shown at most.
  ///   - isOneLine: whether line breaks become blanks.
  package func excerpt(of body: Data, type: String?, length: Int, isOneLine: Bool = false) -> String {
    // Enough for the characters that are shown, and for what is hidden among them.
    let piece = body.prefix(excerptMargin + 4 * length)
    let shown = self.body(piece, contentType: type)
    if piece.count < body.count, shown == "(\(piece.count) bytes)" { return "(\(body.count) bytes)" }
    let text = isOneLine ? shown.onOneLine : shown
    // Characters are not counted where there are no more bytes than may be shown.
    if piece.count == body.count, text.utf8.count <= length { return text }
    let isCut = piece.count < body.count || text.dropFirst(length).first != nil
    return "\(text.prefix(length))\(isCut ? "…" : "")"
  }

  /// So many bytes are looked at besides those that are shown.
  private var excerptMargin: Int { 65_536 }
  /// So much of a body stands in the message of an error.
  static let shortExcerpt = 200
  /// So much of a body stands in what is printed for a developer.
  static let longExcerpt = 16_384
}
