package import Errand
package import Foundation

package struct HARText: Sendable {
  package var text: String
  /// `base64` if `text` is Base64; otherwise, `text` is plain text.
  package var encoding: String?
  var comment: String?

  package init(text: String, encoding: String?) {
    self.text = text
    self.encoding = encoding
  }

  /// Records a body for a log that people read.
  ///
  /// Text and pictures are usually recorded. Of other bodies, usually only the length is recorded.
  init(shown body: Data, type: String?, redaction: Redaction) {
    guard !redaction.hidesNothing else {
      self.init(body, type: type, redaction: redaction)
      return
    }
    switch DisplayableBody(body, type: type, redaction: redaction) {
    case .text(let text):
      self.init(
        text: Self.redacted(Data(text.utf8), text: text, type: type, redaction: redaction), encoding: nil)
    case .picture: self.init(text: body.base64EncodedString(), encoding: "base64")
    case .bytes, .byteCountOnly:
      self.init(text: "", encoding: nil)
      comment = "The body of \(body.count) bytes is not text and was not recorded."
    }
  }

  /// Records a body for replay.
  ///
  /// A body is recorded as text if replaying the text gives the same bytes.
  /// Other bodies, and bodies with NULs, are recorded in Base64.
  package init(_ body: Data, type: String?, redaction: Redaction) {
    let text = String(decoding: body, as: UTF8.self)
    if !Self.hasNull(body), Self(text: text, encoding: nil).bytes(type: type) == body {
      self.init(text: Self.redacted(body, text: text, type: type, redaction: redaction), encoding: nil)
    } else {
      let body =
        Self.redactedInCharset(body, type: type, redaction: redaction) ?? Self.redactedLatin1(
          body, type: type, redaction: redaction)
        // Known secrets are hidden even in binary content, although a picture may become invalid.
        ?? Self.hidingValues(in: body, by: redaction)
      self.init(text: body.base64EncodedString(), encoding: "base64")
    }
  }

  /// Returns the bytes of the recorded body; `nil` for invalid Base64.
  package func bytes(type: String?) -> Data? {
    if encoding?.lowercased() == "base64" {
      return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
    }
    guard let charset = type.flatMap(Self.charset(of:)),
      !charset.hasASCII || !text.utf8.allSatisfy({ $0 < 0x80 })
    else { return Data(text.utf8) }
    return charset.encode(text) ?? Data(text.utf8)
  }

  /// Returns the charset of a media type.
  ///
  /// Latin-1 and ASCII mean windows-1252 (WHATWG Encoding section 4.2).
  private static func charset(of type: String) -> Charset? {
    guard let start = type.lowercased().range(of: "charset=")?.upperBound else { return nil }
    let name = type.lowercased()[start...].drop { $0 == "\"" }.prefix { !"\"; ".contains($0) }
    return switch name {
    case "iso-8859-1", "latin1", "us-ascii": Charset("windows-1252")
    default: Charset(String(name))
    }
  }

  private static func redacted(
    _ body: Data, text: String, type: String?, redaction: Redaction
  ) -> String {
    if isMultipart(type) { return redaction.text(text) }
    let isFragment = isFragment(body, type: type)
    // Wrapped in an array, because redaction would treat a top-level string or number as free text.
    let whole = isFragment ? Data("[".utf8) + body + Data("]".utf8) : body
    let shown = redaction.body(whole, contentType: type)
    if shown == Redaction.none.body(whole, contentType: type) { return text }
    guard isFragment || isContainer(body) else { return shown }
    let restored = JSONPlaceholders.restore(in: shown, of: whole, by: redaction) ?? shown
    return isFragment ? String(restored.dropFirst().dropLast()) : restored
  }

  /// Returns true if the body is a JSON string, number, Boolean or null.
  ///
  /// The type must be JSON, because plain text such as `12` also parses.
  private static func isFragment(_ body: Data, type: String?) -> Bool {
    guard let type, type.lowercased().contains("json"), !isContainer(body) else { return false }
    return JSONPlaceholders.isJSON(body)
  }

  private static func isContainer(_ body: Data) -> Bool {
    let first = body.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) && $0 < 0x80 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Decodes a text, hides secrets, and encodes the text in the same charset.
  ///
  /// Returns `nil` if the charset is unknown or does not match the bytes.
  private static func redactedInCharset(_ body: Data, type: String?, redaction: Redaction) -> Data? {
    let name = type.flatMap { MediaType($0)?["charset"] } ?? Charset.marked(in: body)
    let isText = DisplayableBody.isSaidToBeText(type) || isContainer(body)
    // The NULs are checked first, because the charset name `UTF-16` does not tell the byte order.
    guard let charset = unmarkedWide(body) ?? (name.map { Charset($0) } ?? (isText ? .utf8 : nil)) else {
      return nil
    }
    // A truncated body may end within a code unit of two or four bytes.
    for count in 0...(charset.hasASCII ? 0 : 3) {
      let whole = Data(body.dropLast(count))
      guard let text = charset.decode(whole), charset.encode(text, markedAs: body) == whole else { continue }
      let shown = redactedBetweenNULs(text, type: type, redaction: redaction)
      return charset.encode(shown, markedAs: body).map { $0 + body.suffix(count) }
    }
    return nil
  }

  /// Returns UTF-16 or UTF-32 if the NULs in the first eight bytes fit ASCII text; otherwise `nil`.
  private static func unmarkedWide(_ body: Data) -> Charset? {
    let start = body.prefix(8).map { $0 == 0 }
    guard start.count == 8, start.contains(true) else { return nil }
    return switch start {
    case [true, false, true, false, true, false, true, false]: .utf16BigEndian
    case [false, true, false, true, false, true, false, true]: .utf16LittleEndian
    case [true, true, true, false, true, true, true, false]: .utf32BigEndian
    case [false, true, true, true, false, true, true, true]: .utf32LittleEndian
    default: nil
    }
  }

  private static func hidingValues(in body: Data, by redaction: Redaction) -> Data {
    let bytes = redaction.hidingValues(Array(body))
    let latin1 = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    let shown = redaction.hidingValues(latin1).unicodeScalars
    // Each scalar stands for a byte, because the marker is ASCII text.
    return Data(shown.map { UInt8(truncatingIfNeeded: $0.value) })
  }

  /// Hides secrets in text of an unknown or wrong charset.
  ///
  /// Returns `nil` if neither the media type nor the start of the body indicates text.
  ///
  /// The text is read as Latin-1, because most charsets encode ASCII as single bytes.
  private static func redactedLatin1(_ body: Data, type: String?, redaction: Redaction) -> Data? {
    guard DisplayableBody.isSaidToBeText(type) || isContainer(body) else { return nil }
    let text = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
    let shown = redactedBetweenNULs(text, type: type, redaction: redaction)
    let scalars = shown.unicodeScalars
    return scalars.allSatisfy { $0.value < 0x100 } ? Data(scalars.map { UInt8($0.value) }) : nil
  }

  private static func hasNull(_ body: Data) -> Bool { body.withUnsafeBytes { $0.contains(0) } }

  /// Hides secrets in each piece between NULs, because ``/Errand/Redaction`` treats text with NULs as binary.
  private static func redactedBetweenNULs(_ text: String, type: String?, redaction: Redaction) -> String {
    let pieces = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0.value == 0 }
    return pieces.map { piece in
      let text = String(piece)
      return redacted(Data(text.utf8), text: text, type: type, redaction: redaction)
    }.joined(separator: "\0")
  }

  static func mimeType(_ type: String?, redaction: Redaction) -> String {
    type.flatMap { redaction.headers(["Content-Type": $0])["Content-Type"] } ?? ""
  }

  package static func isMultipart(_ type: String?) -> Bool { MediaType.isMultipart(type) }
}
