package import Foundation

/// The bytes of a body in the form that a HAR file has them in: text, or base64.
package struct HARText: Sendable {
  package var text: String
  /// `base64`, or `nil` for text.
  package var encoding: String?

  package init(text: String, encoding: String?) {
    self.text = text
    self.encoding = encoding
  }

  /// Text where the bytes are text, with its secrets hidden, and base64 otherwise.
  ///
  /// It is text only when reading it gives the same bytes again.
  package init(_ body: Data, type: String?, redaction: Redaction) {
    let text = String(decoding: body, as: UTF8.self)
    if !Self.hasNull(body), Self(text: text, encoding: nil).bytes(type: type) == body {
      self.init(text: Self.redacted(body, text, type, redaction), encoding: nil)
    } else {
      // A value that is known is hidden in a picture too, which is then none.
      let body = Self.redactedLatin1(body, type, redaction) ?? Data(redaction.hidingValues(Array(body)))
      self.init(text: body.base64EncodedString(), encoding: "base64")
    }
  }

  /// The bytes; `nil` for base64 that is none.
  package func bytes(type: String?) -> Data? {
    if encoding?.lowercased() == "base64" {
      return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
    }
    if let type, !text.utf8.allSatisfy({ $0 < 0x80 }), let encoding = Self.charset(of: type) {
      return text.data(using: encoding) ?? Data(text.utf8)
    }
    return Data(text.utf8)
  }

  /// What a browser decoded is encoded again; it takes Latin-1 for windows-1252 (WHATWG Encoding section 4.2).
  private static func charset(of type: String) -> String.Encoding? {
    guard let start = type.lowercased().range(of: "charset=")?.upperBound else { return nil }
    let name = type.lowercased()[start...].drop { $0 == "\"" }.prefix { !"\"; ".contains($0) }
    return switch name {
    case "iso-8859-1", "latin1", "windows-1252", "us-ascii": .windowsCP1252
    case "utf-16le": .utf16LittleEndian
    case "utf-16be": .utf16BigEndian
    default: nil
    }
  }

  private static func redacted(
    _ body: Data, _ text: String, _ type: String?, _ redaction: Redaction
  ) -> String {
    // A log shows only the length of these; here they are text as any other.
    if isMultipart(type) { return redaction.text(text) }
    let isFragment = isFragment(body, type)
    // A string or a number is hidden as the element of an array, as redaction takes it for free text otherwise.
    let whole = isFragment ? Data("[".utf8) + body + Data("]".utf8) : body
    let shown = redaction.body(whole, contentType: type)
    // What nothing is hidden in stays as it is to the last byte.
    if shown == Redaction.none.body(whole, contentType: type) { return text }
    guard isFragment || isContainer(body) else { return shown }
    let restored = JSONStandIns.restore(in: shown, of: whole, by: redaction) ?? shown
    return isFragment ? String(restored.dropFirst().dropLast()) : restored
  }

  /// Whether the bytes are JSON that is neither an object nor an array; of other types it may be any text.
  private static func isFragment(_ body: Data, _ type: String?) -> Bool {
    guard let type, type.lowercased().contains("json"), !isContainer(body) else { return false }
    return JSONStandIns.isJSON(body)
  }

  private static func isContainer(_ body: Data) -> Bool {
    let first = body.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) && $0 < 0x80 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Text of another charset, in most of which names and secrets are ASCII, with these hidden; `nil` for what is no text.
  private static func redactedLatin1(_ body: Data, _ type: String?, _ redaction: Redaction) -> Data? {
    let words = ["text/", "json", "xml", "form-urlencoded", "charset="]
    guard let type = type?.lowercased(), words.contains(where: type.contains), !hasNull(body) else {
      return nil
    }
    let text = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
    let shown = redacted(Data(text.utf8), text, type, redaction)
    let scalars = shown.unicodeScalars
    return scalars.allSatisfy { $0.value < 0x100 } ? Data(scalars.map { UInt8($0.value) }) : nil
  }

  private static func hasNull(_ body: Data) -> Bool { body.withUnsafeBytes { $0.contains(0) } }

  package static func isMultipart(_ type: String?) -> Bool {
    type?.drop { $0 == " " }.lowercased().hasPrefix("multipart/") ?? false
  }
}
