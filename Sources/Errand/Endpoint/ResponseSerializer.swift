public import Foundation

/// Makes the value of a response; runs off the main actor, after validation and `filterResponse`.
///
/// Errand has `.json()`, `.jsonLines()`, `.data`, `.text`, `.none`, `.response` and `.multipart`; write one for another format. What it throws is
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
  private enum Maker {
    case quick(@Sendable (HTTPResponse) throws -> Value)
    /// Ends early when the dispatch is cancelled.
    case long(@Sendable (HTTPResponse, RequestContext) async throws -> Value)
  }

  private let maker: Maker

  init(_ make: @escaping @Sendable (HTTPResponse) throws -> Value) { maker = .quick(make) }

  init(_ make: @escaping @Sendable (HTTPResponse, RequestContext) async throws -> Value) {
    maker = .long(make)
  }

  /// Makes the value.
  ///
  /// Of `.text` it throws a ``Refusal`` of kind ``RequestError/Kind/decoding`` when the charset is not known or the bytes are not
  /// valid in it, and of `.multipart` one of that kind for a document that is none, and `CancellationError` when the dispatch or the task is
  /// cancelled meanwhile; the others never throw.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value {
    switch maker {
    case .quick(let make): try make(response)
    case .long(let make): try await make(response, context)
    }
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
  public static var text: PlainResponse<String> { PlainResponse { try PlainResponse<String>.text(of: $0) } }

  /// The body as text in a charset, whatever the `Content-Type` declares: for servers that declare a wrong one.
  ///
  /// A byte order mark is no part of the text.
  ///
  /// - Parameter charset: its name in the IANA registry in any case, such as `"shift_jis"`. One that is not known is a ``Refusal`` of kind
  ///   ``RequestError/Kind/decoding``, and so is a body that is not valid in it.
  public static func text(charset: String) -> PlainResponse<String> {
    PlainResponse { try PlainResponse<String>.text(of: $0, in: charset) }
  }

  /// The body as text as `.text` has it, but in a charset of your choice where the `Content-Type` declares none, or one that is not
  /// known, and no byte order mark tells.
  ///
  /// - Parameter charset: its name in the IANA registry in any case, such as `"windows-1252"`. One that is not known is a ``Refusal`` of kind
  ///   ``RequestError/Kind/decoding`` where it is needed, and so is a body that is not valid in it.
  public static func text(undeclared charset: String) -> PlainResponse<String> {
    PlainResponse { try PlainResponse<String>.text(of: $0, undeclared: charset) }
  }
}

extension PlainResponse {
  /// - Parameter undeclared: the charset of what declares none that is known; `nil` for UTF-8, and a refusal.
  fileprivate static func text(of response: HTTPResponse, undeclared: String? = nil) throws -> String {
    let declared = MediaType(of: response.headers)?["charset"] ?? ""
    if !declared.isEmpty, undeclared == nil || Charset(declared) != nil {
      return try text(of: response, in: declared)
    }
    let marked = Charset.marked(in: response.body)
    return try text(of: response, in: marked ?? undeclared ?? "utf-8")
  }

  fileprivate static func text(of response: HTTPResponse, in name: String) throws -> String {
    guard let charset = Charset(name) else {
      throw refusal("the charset \(name.debugDescription) is not known")
    }
    return try decode(response, as: charset, named: name.lowercased())
  }

  private static func decode(
    _ response: HTTPResponse, as charset: Charset, named name: String
  ) throws -> String {
    guard let text = charset.decode(response.body) else {
      throw refusal("the body is not valid \(name)")
    }
    return text
  }

  private static func refusal(_ reason: String) -> Refusal {
    var refusal = Refusal(reason, kind: .decoding)
    refusal.advice = .charset
    return refusal
  }
}
