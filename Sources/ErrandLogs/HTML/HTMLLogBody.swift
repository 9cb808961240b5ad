import Errand
import Foundation

struct HTMLLogBody: Encodable {
  enum Kind: String, Encodable {
    case none
    case text
    /// A picture: ``bytes`` in Base64.
    case image
    /// The size, and the first bytes: ``bytes`` in hexadecimal digits, or `nil` if a secret may be inside.
    case binary
    /// Only the size, because the detail excludes bodies.
    case omitted
    /// The app may supply a text later by `HTMLLogger.show(_:asBodyOf:)`.
    case deferred
    /// A body without recorded bytes. ``text`` may describe the body, and the size may be known.
    case stream
    case parts
  }

  private(set) var kind: Kind
  private(set) var length: Int64?
  /// The media type.
  ///
  /// The type of a picture is detected from the content.
  private(set) var type: String?
  private(set) var text: String?
  private(set) var bytes: String?
  /// The number of shown bytes of a truncated text; `nil` for a whole text.
  private(set) var shown: Int?
  private(set) var parts: [HTMLLogPart]?
  /// The number of all parts; `nil` if no part is left out.
  private(set) var partCount: Int?

  private static let signatureLength = 16

  init(of sent: HTMLLogRequest, isOmitted: Bool, redaction: Redaction, limits: HTMLLogger.Limits) {
    let request = sent.request
    self.init(.none, length: Int64(sent.length ?? 0))
    if request.body.isProvided {
      (kind, length) = (.stream, request.body.length)
      guard !isOmitted else { return }
      text = redaction.text("\(request.body)")
      guard let parts = request.body.parts else { return }
      (kind, type) = (.parts, MediaType(request.body.contentType ?? "")?.description)
      self.parts = HTMLLogPart.shown(parts, redaction: redaction, limits: limits)
      if parts.count > HTMLLogPart.mostParts { partCount = parts.count }
    } else if let length = sent.length, length > 0 {
      let content = Content(
        bytes: request.body.data ?? Data(), length: length, type: request.headers["Content-Type"])
      self =
        isOmitted
        ? Self(.omitted, length: Int64(length)) : Self(content, redaction: redaction, limits: limits)
    }
  }

  init(of part: BodyPart, redaction: Redaction, limits: HTMLLogger.Limits) {
    self.init(.stream, length: part.body.length)
    if let bytes = part.body.data, !bytes.isEmpty {
      let kept = Data(bytes.prefix(max(limits.body, limits.image, 0)))
      self = Self(
        Content(bytes: kept, length: bytes.count, type: part.contentType), redaction: redaction,
        limits: limits)
    } else if part.body.isEmpty {
      kind = .none
    } else {
      text = redaction.text("\(part.body)")
      type = part.contentType.flatMap { MediaType($0)?.description }.map { redaction.text($0).printed }
    }
  }

  static var hidden: HTMLLogBody {
    var body = HTMLLogBody(.text, length: nil)
    body.text = Redaction.marker
    return body
  }

  init(
    of response: HTTPResponse, length: Int, detail: HTMLLogger.Detail, redaction: Redaction,
    limits: HTMLLogger.Limits
  ) {
    self.init(.none, length: Int64(length))
    guard length > 0 else { return }
    switch detail {
    case .nothing, .heads: kind = .omitted
    case .deferredBody: kind = .deferred
    case .bodies where response.body.isEmpty: kind = .stream
    case .bodies:
      let content = Content(bytes: response.body, length: length, type: response.headers["Content-Type"])
      self = Self(content, redaction: redaction, limits: limits)
    }
  }

  init(shown text: String, redaction: Redaction, limits: HTMLLogger.Limits) {
    let bytes = Data(text.utf8.prefix(max(limits.body, 0)))
    let type = "text/plain; charset=utf-8"
    self.init(
      Content(bytes: bytes, length: text.utf8.count, type: type), redaction: redaction, limits: limits)
  }

  private init(_ kind: Kind, length: Int64?) {
    (self.kind, self.length) = (kind, length)
  }

  private struct Content {
    let bytes: Data
    let length: Int
    let type: String?

    var isCut: Bool { bytes.count < length }
  }

  private init(_ content: Content, redaction: Redaction, limits: HTMLLogger.Limits) {
    self.init(.binary, length: Int64(content.length))
    let media = content.type.flatMap { MediaType($0) }
    type = media.map { redaction.text($0.description).printed }
    let shown = DisplayableBody(
      content.bytes, type: content.type, isCut: content.isCut, textLimit: limits.body, redaction: redaction)
    switch shown {
    case .text(let text):
      kind = .text
      let hidden = redaction.body(text: text, media)
      let hasReturns = hidden.withBytes { $0.contains(0x0D) }
      self.text = (hasReturns ? hidden.replacing("\r\n", with: "\n") : hidden).printed
      let kept = min(content.bytes.count, max(limits.body, 0))
      if kept < content.length { self.shown = kept }
    case .picture(let image):
      type = image
      let isWhole = !content.isCut && content.length <= limits.image
      (kind, bytes) =
        isWhole ? (.image, content.bytes.base64EncodedString()) : (.binary, Self.hex(content.bytes))
    case .bytes: bytes = Self.hex(content.bytes)
    case .byteCountOnly: break
    }
  }

  private static func hex(_ bytes: Data) -> String {
    bytes.prefix(signatureLength).map { "\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }
      .joined(separator: " ")
  }
}
