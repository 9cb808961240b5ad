package import Foundation

/// What may be shown of a body to people, wherever one is written for them: on the page of a log, in a HAR file.
package enum DisplayableBody {
  /// Text, decoded by its charset; what is secret in it is still to be hidden, as in a body of UTF-8.
  case text(String)
  /// A picture in which nothing secret is found, and its media type.
  case picture(type: String)
  /// Other bytes in which nothing secret is found.
  case bytes
  /// Bytes in which something secret is found, or is not looked for: their number alone.
  case counted

  /// - Parameters:
  ///   - body: the bytes, after content decoding, or the beginning of them.
  ///   - type: the `Content-Type`.
  ///   - isCut: whether `body` is the beginning of a longer one; a character that was cut in two is left out.
  ///   - textLimit: how many bytes of a text are wanted.
  package init(
    _ body: Data, type: String?, isCut: Bool = false, textLimit: Int = .max, redaction: Redaction
  ) {
    let media = type.flatMap { MediaType($0) }
    // Its parts are not looked into; see `Redaction.body`.
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

  /// Whether a `Content-Type` is one of texts.
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

  /// Whether a character of one byte makes it no text: NUL always, and other control characters where nobody said that it is one.
  private static func isOdd(_ byte: UInt8, isSaidToBeText: Bool) -> Bool {
    byte == 0 || byte < 0x20 && !isSaidToBeText && !(0x09...0x0D).contains(byte) && byte != 0x1B
  }

  /// Whether a known secret is in bytes that another charset than theirs was said of, so that it is not found in their text.
  private static func isMistaken(_ bytes: Data, charset: Charset, redaction: Redaction) -> Bool {
    charset != .utf8
      && values(of: redaction).contains { !$0.isASCII && bytes.range(of: Data($0.bytes)) != nil }
  }

  private static func values(of redaction: Redaction) -> Set<HiddenValue> { redaction.values?.values ?? [] }
}

extension DisplayableBody {
  /// Whether neither a known secret is in bytes that are no text, in whatever charset, nor the name of one with a value.
  private static func isHarmless(_ bytes: [UInt8], redaction: Redaction) -> Bool {
    guard !redaction.hidesNothing else { return true }
    // ASCII in UTF-16 and UTF-32, of either order and wherever it begins, is what is left without NUL.
    let narrow = bytes.filter { $0 != 0 }
    let values = values(of: redaction)
    let forms = [bytes, narrow] + (values.allSatisfy(\.isASCII) ? [] : wideForms(of: bytes))
    return forms.allSatisfy { redaction.hidingValues($0, isCut: true) == $0 }
      && !values.contains { isShort($0, in: narrow) } && hasHarmlessWords(narrow, redaction: redaction)
  }

  /// Whether a value is there that would be hidden only where no letter stands beside it: among bytes that are no text, any may.
  private static func isShort(_ value: HiddenValue, in bytes: [UInt8]) -> Bool {
    value.standsAlone && value.bytes.count >= 4 && Data(bytes).range(of: Data(value.bytes)) != nil
  }

  /// The bytes as UTF-8 of what they are in Latin-1 and in UTF-16, of either order and beginning at either byte.
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

  /// Whether nothing in the texts among the bytes is hidden for its name, such as `"access_token": "…"`.
  private static func hasHarmlessWords(_ bytes: [UInt8], redaction: Redaction) -> Bool {
    guard !redaction.hidesNoNames else { return true }
    let runs = bytes.split { !(0x20..<0x7F).contains($0) }.filter { $0.count >= shortestRun }
    let text = Array(runs.joined(separator: [0x0A]))
    return redaction.text(bytes: text, depth: 0) == text
  }

  /// Shorter ones are in any picture, and have no room for a name and a secret.
  private static let shortestRun = 6
}

extension HiddenValue {
  fileprivate var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }
}
