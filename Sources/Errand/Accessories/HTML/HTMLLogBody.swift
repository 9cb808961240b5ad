import Foundation

/// A body as a page shows it.
struct HTMLLogBody: Encodable {
  /// What of it is shown.
  enum Kind: String, Encodable {
    /// There is none.
    case none
    /// ``text``.
    case text
    /// The picture: ``bytes`` in Base64.
    case image
    /// The size, and where it is known the beginning: ``bytes`` in hexadecimal digits.
    case binary
    /// The size, as more was not wanted.
    case omitted
    /// Nothing yet.
    case deferred
    /// The size, as it went by: what it was is in ``text``.
    case stream
    /// A document of ``parts``, each with a body of its own.
    case parts
  }

  private(set) var kind: Kind
  /// In bytes; `nil` when it is not known.
  private(set) var length: Int64?
  /// The media type; of an image what it was recognized as.
  private(set) var type: String?
  private(set) var text: String?
  private(set) var bytes: String?
  /// How many bytes are shown, where those are not all.
  private(set) var shown: Int?
  private(set) var parts: [HTMLLogPart]?
  /// How many parts there are, where not all are shown.
  private(set) var partCount: Int?

  /// How many bytes tell what kind of file it is.
  private static let signatureLength = 16

  init(of sent: HTMLLogRequest, isOmitted: Bool, redaction: Redaction, limits: HTMLLogger.Limits) {
    let request = sent.request
    self.init(.none, Int64(sent.length ?? 0))
    if request.body.provider != nil {
      (kind, length) = (.stream, request.body.length)
      guard !isOmitted else { return }
      text = redaction.text("\(request.body)")
      guard let document = request.body.provider as? MultipartBody else { return }
      (kind, type) = (.parts, MediaType(document.contentType ?? "")?.description)
      parts = HTMLLogPart.shown(document.parts, redaction, limits)
      if document.parts.count > HTMLLogPart.mostParts { partCount = document.parts.count }
    } else if let length = sent.length, length > 0 {
      let content = Content(
        bytes: request.body.data ?? Data(), length: length, type: request.headers["Content-Type"])
      self = isOmitted ? Self(.omitted, Int64(length)) : Self(content, redaction, limits)
    }
  }

  /// Of a part that is sent: its bytes where they are in memory, else what it is.
  init(of part: BodyPart, redaction: Redaction, limits: HTMLLogger.Limits) {
    self.init(.stream, part.body.length)
    if let bytes = part.body.data, !bytes.isEmpty {
      let kept = Data(bytes.prefix(max(limits.body, limits.image, 0)))
      self = Self(Content(bytes: kept, length: bytes.count, type: part.contentType), redaction, limits)
    } else if part.body.isEmpty {
      kind = .none
    } else {
      text = redaction.text("\(part.body)")
      type = part.contentType.flatMap { MediaType($0)?.description }.map { redaction.text($0).printed }
    }
  }

  /// In the place of a secret, without its length.
  static var hidden: HTMLLogBody {
    var body = HTMLLogBody(.text, nil)
    body.text = Redaction.marker
    return body
  }

  init(
    of response: HTTPResponse, length: Int, detail: HTMLLogger.Detail, redaction: Redaction,
    limits: HTMLLogger.Limits
  ) {
    self.init(.none, Int64(length))
    guard length > 0 else { return }
    switch detail {
    case .nothing, .heads: kind = .omitted
    case .deferredBody: kind = .deferred
    case .bodies where response.body.isEmpty: kind = .stream
    case .bodies:
      let content = Content(bytes: response.body, length: length, type: response.headers["Content-Type"])
      self = Self(content, redaction, limits)
    }
  }

  /// A text that was told.
  init(shown text: String, redaction: Redaction, limits: HTMLLogger.Limits) {
    let bytes = Data(text.utf8.prefix(max(limits.body, 0)))
    let type = "text/plain; charset=utf-8"
    self.init(Content(bytes: bytes, length: text.utf8.count, type: type), redaction, limits)
  }

  private init(_ kind: Kind, _ length: Int64?) {
    (self.kind, self.length) = (kind, length)
  }

  /// Bytes with the type that was said of them, perhaps cut.
  private struct Content {
    var bytes: Data
    let length: Int
    let type: String?
    /// Whether its type is one of texts.
    let isSaidToBeText: Bool

    init(bytes: Data, length: Int, type: String?) {
      (self.bytes, self.length, self.type) = (bytes, length, type)
      let words = ["text/", "json", "xml", "form-urlencoded", "charset="]
      isSaidToBeText = type.map { type in words.contains { type.lowercased().contains($0) } } ?? false
    }

    var isCut: Bool { bytes.count < length }

    /// The text in its charset; a character that was cut in two is left out.
    func text(_ media: MediaType?) -> String? {
      let charset = (media?["charset"] ?? Charset.marked(in: bytes)).flatMap { Charset($0) } ?? .utf8
      for count in 0...(isCut ? 3 : 0) {
        if let text = charset.decode(Data(bytes.dropLast(count))) {
          return text.utf8.contains(where: isOdd) ? nil : text
        }
      }
      return nil
    }

    /// Whether a character of one byte makes it no text: NUL always, and other control characters where nobody said that it is one.
    private func isOdd(_ byte: UInt8) -> Bool {
      byte == 0 || byte < 0x20 && !isSaidToBeText && !(0x09...0x0D).contains(byte) && byte != 0x1B
    }
  }

  private init(_ content: Content, _ redaction: Redaction, _ limits: HTMLLogger.Limits) {
    self.init(.binary, Int64(content.length))
    let media = content.type.flatMap { MediaType($0) }
    type = media.map { redaction.text($0.description).printed }
    // Its parts are not looked into, so that it is counted only; see `Redaction.body`.
    if media?.type == "multipart" { return }
    if let image = RasterImage.type(of: content.bytes) {
      guard Self.isHarmless(content.bytes, redaction) else { return }
      type = image
      let isShown = !content.isCut && content.length <= limits.image
      (kind, bytes) =
        isShown ? (.image, content.bytes.base64EncodedString()) : (.binary, Self.hex(content.bytes))
      return
    }
    var cut = content
    if cut.bytes.count > max(limits.body, 0) { cut.bytes = Data(cut.bytes.prefix(max(limits.body, 0))) }
    guard let text = cut.text(media) else {
      if Self.isHarmless(content.bytes, redaction) { bytes = Self.hex(content.bytes) }
      return
    }
    kind = .text
    let hidden = redaction.body(text: text, media)
    let hasReturns = hidden.withBytes { $0.contains(0x0D) }
    self.text = (hasReturns ? hidden.replacing("\r\n", with: "\n") : hidden).printed
    if cut.isCut { shown = cut.bytes.count }
  }

  /// Whether no known secret is in bytes that are no text.
  private static func isHarmless(_ bytes: Data, _ redaction: Redaction) -> Bool {
    let bytes = Array(bytes)
    return redaction.hidingValues(bytes, isCut: true) == bytes
  }

  private static func hex(_ bytes: Data) -> String {
    bytes.prefix(signatureLength).map { "\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }
      .joined(separator: " ")
  }
}

/// Pictures of pixels, by the bytes that they begin with, whatever was said of them; SVG is none, as it has scripts.
enum RasterImage {
  /// The media type; `nil` for what is none of them.
  static func type(of bytes: Data) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) {
      return "image/gif"
    }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      return "image/webp"
    }
    return nil
  }
}
