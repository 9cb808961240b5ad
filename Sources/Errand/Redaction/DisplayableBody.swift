package import Foundation

/// The printable form of a body, for an HTML log or a HAR file.
package enum DisplayableBody {
  /// Decoded text. The caller must hide the secrets in the text.
  case text(String)
  /// A picture without detected secrets, and its media type.
  case picture(type: String)
  /// Bytes without detected secrets.
  case bytes
  /// A body that may contain a secret, or a multipart body; only the byte count is shown.
  case byteCountOnly

  /// Chooses the form of a body without content coding.
  ///
  /// `textLimit` is in bytes.
  package init(
    _ body: Data, type: String?, isCut: Bool = false, textLimit: Int = .max, redaction: Redaction
  ) {
    let media = type.flatMap { MediaType($0) }
    // The parts of a multipart body are not searched for secrets, so only the byte count is shown.
    if MediaType.isMultipart(type) {
      self = .byteCountOnly
    } else if let picture = RasterImage.type(of: body) {
      self = Self.isHarmless(Array(body), redaction: redaction) ? .picture(type: picture) : .byteCountOnly
    } else {
      let limit = max(textLimit, 0)
      let (piece, isCut) = body.count > limit ? (Data(body.prefix(limit)), true) : (body, isCut)
      let charset = (media?["charset"] ?? Charset.marked(in: body)).flatMap { Charset($0) } ?? .utf8
      if let text = Self.text(
        of: piece, charset: charset, isCut: isCut, isSaidToBeText: Self.isSaidToBeText(type))
      {
        self = Self.isMistaken(piece, charset: charset, redaction: redaction) ? .byteCountOnly : .text(text)
      } else {
        self = Self.isHarmless(Array(body), redaction: redaction) ? .bytes : .byteCountOnly
      }
    }
  }

  package static func isSaidToBeText(_ type: String?) -> Bool {
    guard let type = type?.lowercased() else { return false }
    return ["text/", "json", "xml", "form-urlencoded", "charset="].contains { type.contains($0) }
  }

  private static func text(
    of bytes: Data, charset: Charset, isCut: Bool, isSaidToBeText: Bool
  ) -> String? {
    for count in 0...(isCut ? 3 : 0) {
      guard let text = charset.decode(Data(bytes.dropLast(count))) else { continue }
      let isBinary = text.withBytes { $0.contains { Self.isBinary($0, isSaidToBeText: isSaidToBeText) } }
      return isBinary ? nil : text
    }
    return nil
  }

  private static func isBinary(_ byte: UInt8, isSaidToBeText: Bool) -> Bool {
    byte == 0 || byte < 0x20 && !isSaidToBeText && !(0x09...0x0D).contains(byte) && byte != 0x1B
  }

  /// Returns true if the bytes contain a known non-ASCII secret in UTF-8 despite another charset.
  private static func isMistaken(_ bytes: Data, charset: Charset, redaction: Redaction) -> Bool {
    charset != .utf8
      && values(of: redaction).contains { !$0.isASCII && bytes.range(of: Data($0.bytes)) != nil }
  }

  private static func values(of redaction: Redaction) -> Set<HiddenValue> { redaction.values?.values ?? [] }
}

extension DisplayableBody {
  private static func isHarmless(_ bytes: [UInt8], redaction: Redaction) -> Bool {
    guard !redaction.hidesNothing else { return true }
    // Removing the NUL bytes turns ASCII text in UTF-16 or UTF-32 into plain ASCII.
    let narrow = bytes.filter { $0 != 0 }
    let values = values(of: redaction)
    let forms = [bytes, narrow] + (values.allSatisfy(\.isASCII) ? [] : wideForms(of: bytes))
    return forms.allSatisfy { redaction.hidingValues($0, isCut: true) == $0 }
      && !values.contains { isShort($0, in: narrow) } && hasHarmlessWords(narrow, redaction: redaction)
  }

  /// Returns true if the value is short, has at least 4 bytes, and occurs in the bytes.
  ///
  /// Ignores word boundaries, because in binary data any byte may precede text.
  private static func isShort(_ value: HiddenValue, in bytes: [UInt8]) -> Bool {
    value.standsAlone && value.bytes.count >= 4 && Data(bytes).range(of: Data(value.bytes)) != nil
  }

  /// Reads the bytes as Latin-1 and as UTF-16, and returns each reading in UTF-8.
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

  private static func hasHarmlessWords(_ bytes: [UInt8], redaction: Redaction) -> Bool {
    guard !redaction.hidesNoNames else { return true }
    let runs = bytes.split { !(0x20..<0x7F).contains($0) }.filter { $0.count >= shortestRun }
    let text = Array(runs.joined(separator: [0x0A]))
    return redaction.text(bytes: text, depth: 0) == text
  }

  /// The minimum length of a searched run of ASCII, in bytes.
  ///
  /// Pictures often contain shorter runs by chance.
  private static let shortestRun = 6
}

extension HiddenValue {
  fileprivate var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }
}
