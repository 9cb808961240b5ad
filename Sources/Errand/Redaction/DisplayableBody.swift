package import Foundation

/// The visible form of a body for people: on the page of a log, or in a HAR file.
package enum DisplayableBody {
  /// Text, decoded by its charset. The caller still has to hide the secrets, as in a UTF-8 body.
  case text(String)
  /// A picture without detected secrets, and its media type.
  case picture(type: String)
  /// Bytes that are neither text nor a picture, without detected secrets.
  case bytes
  /// Bytes with a detected secret, or bytes that are not searched (`multipart/*`). Only the byte count may
  /// be shown.
  case counted

  /// Creates the visible form of a body.
  ///
  /// - Parameters:
  ///   - body: the bytes after content decoding, or the first part of the bytes.
  ///   - type: the `Content-Type`.
  ///   - isCut: true if `body` is the first part of a longer body. A truncated character at the end is
  ///     dropped.
  ///   - textLimit: the maximum number of bytes of a text.
  ///   - redaction: the rules that decide whether a body contains secrets.
  package init(
    _ body: Data, type: String?, isCut: Bool = false, textLimit: Int = .max, redaction: Redaction
  ) {
    let media = type.flatMap { MediaType($0) }
    // The parts of a form are not searched; see `Redaction.body`.
    if media?.type == "multipart" {
      self = .counted
    } else if let picture = RasterImage.type(of: body) {
      self = Self.isHarmless(Array(body), redaction: redaction) ? .picture(type: picture) : .counted
    } else {
      let limit = max(textLimit, 0)
      let (piece, isCut) = body.count > limit ? (Data(body.prefix(limit)), true) : (body, isCut)
      let charset = (media?["charset"] ?? Charset.marked(in: body)).flatMap { Charset($0) } ?? .utf8
      if let text = Self.text(
        of: piece, charset: charset, isCut: isCut, isSaidToBeText: Self.isSaidToBeText(type))
      {
        self = Self.isMistaken(piece, charset: charset, redaction: redaction) ? .counted : .text(text)
      } else {
        self = Self.isHarmless(Array(body), redaction: redaction) ? .bytes : .counted
      }
    }
  }

  /// True if a `Content-Type` declares text.
  package static func isSaidToBeText(_ type: String?) -> Bool {
    guard let type = type?.lowercased() else { return false }
    return ["text/", "json", "xml", "form-urlencoded", "charset="].contains { type.contains($0) }
  }

  private static func text(
    of bytes: Data, charset: Charset, isCut: Bool, isSaidToBeText: Bool
  ) -> String? {
    for count in 0...(isCut ? 3 : 0) {
      guard let text = charset.decode(Data(bytes.dropLast(count))) else { continue }
      let isOdd = text.withBytes { $0.contains { Self.isOdd($0, isSaidToBeText: isSaidToBeText) } }
      return isOdd ? nil : text
    }
    return nil
  }

  /// True if a byte rules out text: NUL always, and most control characters unless the `Content-Type`
  /// declares text.
  private static func isOdd(_ byte: UInt8, isSaidToBeText: Bool) -> Bool {
    byte == 0 || byte < 0x20 && !isSaidToBeText && !(0x09...0x0D).contains(byte) && byte != 0x1B
  }

  /// True if the raw bytes contain a known non-ASCII secret in UTF-8, although the charset is not UTF-8.
  ///
  /// Decoding by the wrong charset garbles the secret, so a search in the decoded text would not find it.
  private static func isMistaken(_ bytes: Data, charset: Charset, redaction: Redaction) -> Bool {
    charset != .utf8
      && values(of: redaction).contains { !$0.isASCII && bytes.range(of: Data($0.bytes)) != nil }
  }

  private static func values(of redaction: Redaction) -> Set<HiddenValue> { redaction.values?.values ?? [] }
}

extension DisplayableBody {
  /// True if bytes contain neither a known secret nor the name of a secret with a value.
  ///
  /// Known secrets are searched in UTF-8, Latin-1 and UTF-16. ASCII secrets are searched in UTF-32 too.
  private static func isHarmless(_ bytes: [UInt8], redaction: Redaction) -> Bool {
    guard !redaction.hidesNothing else { return true }
    // Without the NUL bytes, ASCII text in UTF-16 or UTF-32 becomes plain ASCII, in either byte order and
    // at any offset.
    let narrow = bytes.filter { $0 != 0 }
    let values = values(of: redaction)
    let forms = [bytes, narrow] + (values.allSatisfy(\.isASCII) ? [] : wideForms(of: bytes))
    return forms.allSatisfy { redaction.hidingValues($0, isCut: true) == $0 }
      && !values.contains { isShort($0, in: narrow) } && hasHarmlessWords(narrow, redaction: redaction)
  }

  /// True if the bytes contain a value that text hides only at word boundaries, of at least four bytes.
  ///
  /// In binary data, any byte may precede or follow the value, so word boundaries do not count.
  private static func isShort(_ value: HiddenValue, in bytes: [UInt8]) -> Bool {
    value.standsAlone && value.bytes.count >= 4 && Data(bytes).range(of: Data(value.bytes)) != nil
  }

  /// Returns the bytes converted to UTF-8 from Latin-1 and from UTF-16, in either byte order and at either
  /// offset.
  private static func wideForms(of bytes: [UInt8]) -> [[UInt8]] {
    let latin = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    return [Array(latin.utf8)]
      + [(0, 0), (0, 8), (1, 0), (1, 8)].map { start, shift in
        let units = stride(from: start, to: bytes.count - 1, by: 2).map { place in
          UInt16(bytes[place]) << UInt16(shift) | UInt16(bytes[place + 1]) << UInt16(8 - shift)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
      }
  }

  /// True if no text among the bytes is hidden because of its name, such as `"access_token": "…"`.
  private static func hasHarmlessWords(_ bytes: [UInt8], redaction: Redaction) -> Bool {
    guard !redaction.hidesNoNames else { return true }
    let runs = bytes.split { !(0x20..<0x7F).contains($0) }.filter { $0.count >= shortestRun }
    let text = Array(runs.joined(separator: [0x0A]))
    return redaction.text(bytes: text, depth: 0) == text
  }

  /// The minimum length of a searched text in bytes, because shorter runs of ASCII occur in every picture.
  ///
  /// A shorter run has at most five bytes for a name, a separator and a secret, such as `pwd=1`.
  private static let shortestRun = 6
}

extension HiddenValue {
  fileprivate var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }
}
