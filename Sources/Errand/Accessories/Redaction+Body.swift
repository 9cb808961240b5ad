public import Foundation

extension Redaction {
  /// A body as text with its secrets replaced by ``marker``, or its length, `(1234 bytes)`, when it is no text.
  ///
  /// JSON and forms are worked on as they are written, so that a body that was cut short or is broken is redacted
  /// too; of a JSON member the whole value is hidden, also an object or an array. Other text is treated as in
  /// ``text(_:)``. Known values are hidden everywhere, also one whose end was cut off with the body's. Bytes that are not UTF-8, that have a NUL in them, or that are `multipart/*` are counted. A
  /// character cut in two at the end is dropped.
  ///
  /// - Parameters:
  ///   - body: the bytes, after content decoding.
  ///   - contentType: the `Content-Type`; JSON objects and arrays are known by their first character too.
  public func body(_ body: Data, contentType: String?) -> String {
    let media = contentType.flatMap { MediaType($0) }
    guard media?.type != "multipart", let text = Self.text(of: body) else { return "(\(body.count) bytes)" }
    guard !hidesNothing else { return text }
    let bytes = hidingValues(Array(text.utf8), isCut: true)
    guard !hidesNoNames else { return String(decoding: bytes, as: UTF8.self) }
    let first = bytes.first { !ASCII.isWhitespace($0) && $0 < 0x80 }
    var redacted: [UInt8] = []
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      redacted = JSONRedactor.redact(bytes, by: self)
    } else if media?.description == "application/x-www-form-urlencoded" {
      pairs(bytes[...], in: .field, into: &redacted)
    } else {
      redacted = self.text(bytes: bytes, depth: 0)
    }
    return String(decoding: redacted, as: UTF8.self)
  }

  private static func text(of body: Data) -> String? {
    guard !body.contains(0) else { return nil }
    // As the body kept for an error is cut at a limit, its last character may have lost up to three bytes.
    let tail = body.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count + 1
    let lead = body.dropLast(tail - 1).last ?? 0
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1
    let isCut = lead <= 0xF4 && tail < length
    return String(data: isCut ? body.dropLast(tail) : body, encoding: .utf8)
  }
}
