public import Foundation

/// Makes the value of a response; runs off the main actor, after validation and `filterResponse`.
///
/// Errand has `.json()`, `.data`, `.text`, `.none` and `.response`; write one for another format. What it throws is
/// the cause of a ``RequestError`` of kind ``RequestError/Kind/decoding``.
public protocol ResponseSerializer<Value>: Sendable {
  /// What it makes.
  associatedtype Value: Sendable

  /// The `Accept` header sent unless the headers have one (RFC 9110 section 12.5.1); `nil`, the default, sends
  /// none.
  var accept: String? { get }

  /// Makes the value of the response, which has passed every validator.
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value
}

extension ResponseSerializer {
  /// Sends no `Accept`.
  public var accept: String? { nil }
}

/// The bytes of the body.
public struct DataResponse: ResponseSerializer {
  /// Gives the body as it came; an empty one is empty data.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Data {
    response.body
  }
}

/// Nothing: whatever the body says is dropped.
public struct EmptyResponse: ResponseSerializer {
  /// Gives nothing.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws {}
}

/// The whole response, head and body.
public struct RawResponse: ResponseSerializer {
  /// Gives the response.
  public func serialize(
    _ response: HTTPResponse, context: RequestContext
  ) async throws -> HTTPResponse { response }
}

extension ResponseSerializer where Self == DataResponse {
  /// The bytes of the body; the default where `Response` is `Data`.
  public static var data: DataResponse { DataResponse() }
}

extension ResponseSerializer where Self == EmptyResponse {
  /// Nothing; the default where `Response` is `Void`.
  public static var none: EmptyResponse { EmptyResponse() }
}

extension ResponseSerializer where Self == RawResponse {
  /// The whole response; the default where `Response` is ``HTTPResponse``.
  public static var response: RawResponse { RawResponse() }
}

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
