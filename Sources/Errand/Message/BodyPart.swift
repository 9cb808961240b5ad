public import Foundation

/// A part of a `multipart/*` document: header fields and a body (RFC 2046 section 5.1).
///
/// Parts are what ``RequestBody/multipart(_:type:boundary:)`` sends, and what a response of parts is read as, with
/// `Response == [BodyPart]`.
public struct BodyPart: Sendable {
  /// The header fields; a document is written with its fields sorted by name.
  public var headers: HTTPHeaders
  /// The body; its content type is sent where ``headers`` have none.
  public var body: RequestBody

  /// Makes a part of header fields and a body.
  public init(headers: HTTPHeaders = [:], body: RequestBody) {
    self.headers = headers
    self.body = body
  }

  /// Makes a part of a form: a field, or with a `filename` a file (RFC 7578 section 4.2).
  ///
  /// In both names `"` is written as `%22`, a carriage return as `%0D` and a line feed as `%0A`, as browsers do.
  ///
  /// - Parameters:
  ///   - name: of the field.
  ///   - filename: of the file; `nil`, the default, for a field that is none.
  ///   - body: the value.
  public init(name: String, filename: String? = nil, body: RequestBody) {
    let file = filename.map { "; filename=\"\(Self.escaped($0))\"" } ?? ""
    self.init(
      headers: ["Content-Disposition": "form-data; name=\"\(Self.escaped(name))\"\(file)"], body: body)
  }

  /// The name of the field in a form, as it was written; `nil` in a part that has none.
  public var name: String? { ContentDisposition(of: headers)?["name"] }

  /// The name of the file, as it was written; `nil` in a part that is no file.
  ///
  /// It comes from whoever wrote the document, and may have slashes in it: never use it as a path.
  public var filename: String? { ContentDisposition(of: headers)?.filename }

  /// The bytes, when they are in memory, as in a part that was received; otherwise empty.
  public var data: Data { body.data ?? Data() }

  /// The bytes as UTF-8; invalid ones become U+FFFD.
  public var text: String { String(decoding: data, as: UTF8.self) }

  /// The media type that is sent for it, or came with it.
  package var contentType: String? { headers["Content-Type"] ?? body.contentType }

  private static func escaped(_ name: String) -> String {
    // By bytes: to Swift a carriage return and a line feed are one character.
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
  /// The name and what the body is, such as `part "avatar", 1234 bytes`; never the bytes.
  public var description: String {
    "part \(name.map { "\($0.debugDescription), " } ?? "")\(body)".printed
  }
}
