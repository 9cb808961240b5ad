public import Foundation

/// Makes the value of a response; runs off the main actor, after validation and `filterResponse`.
///
/// Errand has `.json()`, `.data`, `.text`, `.none`, `.response` and `.multipart`; write one for another format. What it throws is
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

/// A serializer for what needs no settings: made by `.data`, `.text`, `.none`, `.response` and `.multipart`.
public struct PlainResponse<Value: Sendable>: ResponseSerializer {
  private let make: @Sendable (HTTPResponse) throws -> Value

  init(_ make: @escaping @Sendable (HTTPResponse) throws -> Value) { self.make = make }

  /// Makes the value.
  ///
  /// Of `.text` it throws a ``Refusal`` of kind ``RequestError/Kind/decoding`` when the charset is not known or the bytes are not
  /// valid in it; the others never throw.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value {
    try make(response)
  }
}

extension ResponseSerializer where Self == PlainResponse<Data> {
  /// The bytes of the body, as they came; the default where `Response` is `Data`.
  public static var data: PlainResponse<Data> { PlainResponse(\.body) }
}

extension ResponseSerializer where Self == PlainResponse<Void> {
  /// Nothing, whatever the body says; the default where `Response` is `Void`.
  public static var none: PlainResponse<Void> { PlainResponse { _ in } }
}

extension ResponseSerializer where Self == PlainResponse<HTTPResponse> {
  /// The whole response, head and body; the default where `Response` is ``HTTPResponse``.
  public static var response: PlainResponse<HTTPResponse> { PlainResponse { $0 } }
}

extension ResponseSerializer where Self == PlainResponse<String> {
  /// The body as text; the default where `Response` is `String`.
  ///
  /// The charset is the one the `Content-Type` declares, and UTF-8 where it declares none (a UTF-16 byte order mark is
  /// obeyed). `iso-8859-1` is Latin-1, not windows-1252 as in web browsers. A byte order mark is no part of the text. An
  /// empty body is an empty text.
  public static var text: PlainResponse<String> { PlainResponse(PlainResponse<String>.text(of:)) }
}

extension PlainResponse {
  @Sendable fileprivate static func text(of response: HTTPResponse) throws -> String {
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

  private static func decode(
    _ response: HTTPResponse, _ charset: Charset, named name: String
  ) throws -> String {
    guard let text = charset.decode(response.body) else {
      throw Refusal("the body is not valid \(name)", kind: .decoding)
    }
    return text
  }
}
