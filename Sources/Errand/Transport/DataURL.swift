import Foundation

/// Answers `data:[<media type>][;base64],<data>` (RFC 2397) without a connection.
enum DataURL {
  /// The type that a data URL without one has.
  static let defaultType = "text/plain;charset=US-ASCII"

  /// Status 200, the `Content-Type` of the URL, and its data as the body.
  static func response(for url: URL) throws(Refusal) -> HTTPResponse {
    let text = URLParts.withoutFragment(url.absoluteString)
    guard URLParts.isData(String(text)) else { throw malformed("begins with another scheme") }
    let content = text.utf8.dropFirst("data:".utf8.count)
    guard let comma = content.firstIndex(of: 0x2C) else { throw malformed("has no comma") }
    let (type, isBase64) = try head(Substring(content[..<comma]))
    let encoded = PercentEncoding.decode(Substring(content[content.index(after: comma)...]))
    let body = isBase64 ? try base64(encoded) : Data(encoded)
    return HTTPResponse(headers: ["Content-Type": type], body: body, url: url)
  }

  /// The media type, and whether `;base64` ends it.
  ///
  /// Parameters alone belong to `text/plain`.
  private static func head(_ text: Substring) throws(Refusal) -> (type: String, isBase64: Bool) {
    var head = HTTPHeaders.decode(PercentEncoding.decode(text))
    var isBase64 = false
    if let mark = head.utf8.lastIndex(of: 0x3B), HTTPHeaders.same(String(head[mark...]), ";base64") {
      isBase64 = true
      head = String(head[..<mark])
    }
    if head.isEmpty { head = defaultType }
    if head.utf8.first == 0x3B { head = "text/plain" + head }
    let field: HTTPHeaders = ["Content-Type": head]
    guard field.problem == nil else { throw malformed("has a line break or a NUL in its media type") }
    return (head, isBase64)
  }

  /// Padding may be missing.
  private static func base64(_ encoded: [UInt8]) throws(Refusal) -> Data {
    let padding = [UInt8](repeating: 0x3D, count: (4 - encoded.count % 4) % 4)
    guard let data = Data(base64Encoded: Data(encoded + padding)) else {
      throw malformed("has broken Base64 in it")
    }
    return data
  }

  private static func malformed(_ problem: String) -> Refusal {
    Refusal("the data URL \(problem)", kind: .invalidURL)
  }
}
