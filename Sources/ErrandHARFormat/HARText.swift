package import Errand
package import Foundation

/// The bytes of a body in the form that a HAR file has them in: text, or base64.
package struct HARText: Sendable {
  package var text: String
  /// `base64`, or `nil` for text.
  package var encoding: String?
  /// What is said of a body that is not written.
  var comment: String?

  package init(text: String, encoding: String?) {
    self.text = text
    self.encoding = encoding
  }

  /// What is written for people: text in its own charset with its secrets hidden, and pictures in base64.
  ///
  /// Of other bytes there is the length alone, as nobody knows what secrets are in them.
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
    case .bytes, .counted:
      self.init(text: "", encoding: nil)
      comment = "The body of \(body.count) bytes is not text, and not kept."
    }
  }

  /// What is written to be replayed: text where the bytes are text, with its secrets hidden, and base64 otherwise.
  ///
  /// It is text only when reading it gives the same bytes again.
  package init(_ body: Data, type: String?, redaction: Redaction) {
    let text = String(decoding: body, as: UTF8.self)
    if !Self.hasNull(body), Self(text: text, encoding: nil).bytes(type: type) == body {
      self.init(text: Self.redacted(body, text: text, type: type, redaction: redaction), encoding: nil)
    } else {
      let body =
        Self.redactedInCharset(body, type: type, redaction: redaction) ?? Self.redactedLatin1(
          body, type: type, redaction: redaction)
        // A value that is known is hidden in a picture too, which is then none.
        ?? Data(redaction.hidingValues(Array(body)))
      self.init(text: body.base64EncodedString(), encoding: "base64")
    }
  }

  /// The bytes; `nil` for base64 that is none.
  package func bytes(type: String?) -> Data? {
    if encoding?.lowercased() == "base64" {
      return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
    }
    guard let charset = type.flatMap(Self.charset(of:)),
      !charset.hasASCII || !text.utf8.allSatisfy({ $0 < 0x80 })
    else { return Data(text.utf8) }
    return charset.encode(text) ?? Data(text.utf8)
  }

  /// What was decoded is encoded again; browsers take Latin-1 for windows-1252 (WHATWG Encoding section 4.2).
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
    // A log shows only the length of these; here they are text as any other.
    if isMultipart(type) { return redaction.text(text) }
    let isFragment = isFragment(body, type: type)
    // A string or a number is hidden as the element of an array, as redaction takes it for free text otherwise.
    let whole = isFragment ? Data("[".utf8) + body + Data("]".utf8) : body
    let shown = redaction.body(whole, contentType: type)
    // What nothing is hidden in stays as it is to the last byte.
    if shown == Redaction.none.body(whole, contentType: type) { return text }
    guard isFragment || isContainer(body) else { return shown }
    let restored = JSONPlaceholders.restore(in: shown, of: whole, by: redaction) ?? shown
    return isFragment ? String(restored.dropFirst().dropLast()) : restored
  }

  /// Whether the bytes are JSON that is neither an object nor an array; of other types it may be any text.
  private static func isFragment(_ body: Data, type: String?) -> Bool {
    guard let type, type.lowercased().contains("json"), !isContainer(body) else { return false }
    return JSONPlaceholders.isJSON(body)
  }

  private static func isContainer(_ body: Data) -> Bool {
    let first = body.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) && $0 < 0x80 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Text in bytes of its own charset, with secrets hidden and the rest as it was; `nil` for what is no text of it.
  private static func redactedInCharset(_ body: Data, type: String?, redaction: Redaction) -> Data? {
    let name = type.flatMap { MediaType($0)?["charset"] } ?? Charset.marked(in: body)
    let isText = DisplayableBody.isSaidToBeText(type) || isContainer(body)
    guard let charset = name.map({ Charset($0) }) ?? (isText ? .utf8 : nil),
      let text = charset.decode(body), charset.encode(text, markedAs: body) == body
    else { return nil }
    return charset.encode(redactedBetweenNULs(text, type: type, redaction: redaction), markedAs: body)
  }

  /// Text of a charset that is not known, in most of which names and secrets are ASCII, with these hidden; `nil` for what is no text.
  private static func redactedLatin1(_ body: Data, type: String?, redaction: Redaction) -> Data? {
    guard DisplayableBody.isSaidToBeText(type) || isContainer(body) else { return nil }
    let text = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
    let shown = redactedBetweenNULs(text, type: type, redaction: redaction)
    let scalars = shown.unicodeScalars
    return scalars.allSatisfy { $0.value < 0x100 } ? Data(scalars.map { UInt8($0.value) }) : nil
  }

  private static func hasNull(_ body: Data) -> Bool { body.withUnsafeBytes { $0.contains(0) } }
  /// As what has a NUL is no text to a ``/Errand/Redaction``, it is one text up to each.
  private static func redactedBetweenNULs(_ text: String, type: String?, redaction: Redaction) -> String {
    let pieces = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0.value == 0 }
    return pieces.map { piece in
      let text = String(piece)
      return redacted(Data(text.utf8), text: text, type: type, redaction: redaction)
    }.joined(separator: "\0")
  }

  /// A `Content-Type` with what is secret in it hidden, as the field of the headers has it; empty for none.
  static func mimeType(_ type: String?, redaction: Redaction) -> String {
    type.flatMap { redaction.headers(["Content-Type": $0])["Content-Type"] } ?? ""
  }

  package static func isMultipart(_ type: String?) -> Bool {
    type?.drop { $0 == " " }.lowercased().hasPrefix("multipart/") ?? false
  }
}
