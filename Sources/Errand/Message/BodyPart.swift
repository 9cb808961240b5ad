public import Foundation

/// A part of a `multipart/*` document (RFC 2046 section 5.1).
///
/// Send parts with ``RequestBody/multipart(_:type:boundary:)``. To receive parts, use the response type
/// `[BodyPart]`.
public struct BodyPart: Sendable {
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body.
  ///
  /// If ``headers`` have no `Content-Type`, the content type of the body is sent, if any.
  public var body: RequestBody

  /// Creates a part.
  public init(headers: HTTPHeaders = [:], body: RequestBody) {
    self.headers = headers
    self.body = body
  }

  /// Creates a part of a form (RFC 7578 section 4.2).
  public init(name: String, filename: String? = nil, body: RequestBody) {
    let file = filename.map { "; filename=\"\(Self.escaped($0))\"" } ?? ""
    self.init(
      headers: ["Content-Disposition": "form-data; name=\"\(Self.escaped(name))\"\(file)"], body: body)
  }

  /// The parameter `name` of `Content-Disposition`; `nil` if absent or unreadable.
  public var name: String? { ContentDisposition(of: headers)?["name"] }

  /// The file name in `Content-Disposition`; `nil` if absent or unreadable.
  ///
  /// Never use the name as a path, because the sender may include slashes.
  public var filename: String? { ContentDisposition(of: headers)?.filename }

  /// The bytes of a body made of data or text; empty for other bodies.
  public var data: Data { body.data ?? Data() }

  /// The text of `data` in UTF-8, with U+FFFD for invalid bytes.
  public var text: String { String(decoding: data, as: UTF8.self) }

  package var contentType: String? { headers["Content-Type"] ?? body.contentType }

  private static func escaped(_ name: String) -> String {
    // The loop visits bytes, because Swift joins CR and LF into one character.
    String(
      decoding: name.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case 0x22: Array("%22".utf8)
        case 0x0D: Array("%0D".utf8)
        case 0x0A: Array("%0A".utf8)
        default: [byte]
        }
      }, as: UTF8.self)
  }
}

extension BodyPart: PrintedByDescription {
  /// The name, if any, and the body's description.
  public var description: String {
    "part \(name.map { "\($0.debugDescription), " } ?? "")\(body)".printed
  }
}
