/// The body as text; made by `.text`.
///
/// The charset is the one the `Content-Type` declares, and UTF-8 where it declares none (a UTF-16 byte order mark is
/// obeyed). `iso-8859-1` is Latin-1, not windows-1252 as in web browsers. A byte order mark is no part of the text.
public struct TextResponse: ResponseSerializer {
  /// Decodes the body; an empty one is an empty text.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/decoding`` when the charset is not known or the bytes are not
  /// valid in it.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> String {
    let declared = MediaType(of: response.headers)?["charset"]
    guard let declared, !declared.isEmpty else {
      let charset = Charset.undeclared(in: response.body)
      return try decode(response, charset, named: charset == .utf8 ? "utf-8" : "utf-16")
    }
    guard let charset = Charset(declared) else {
      throw Refusal("the charset \(declared.debugDescription) is not known", kind: .decoding)
    }
    return try decode(response, charset, named: declared.lowercased())
  }

  private func decode(_ response: HTTPResponse, _ charset: Charset, named name: String) throws -> String {
    guard let text = charset.decode(response.body) else {
      throw Refusal("the body is not valid \(name)", kind: .decoding)
    }
    return text
  }
}

extension ResponseSerializer where Self == TextResponse {
  /// The body as text, by the charset the server declares; the default where `Response` is `String`.
  public static var text: TextResponse { TextResponse() }
}
