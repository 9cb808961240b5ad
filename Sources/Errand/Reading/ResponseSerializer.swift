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

/// Decodes JSON; made by `.json()`, `.json(keyPath: "data.items")` and `.json(decoder:)`.
///
/// An empty body, and one of blanks only, is `nil` where the value is optional, null as a ``JSONValue``, and otherwise refused with a
/// ``Refusal`` of kind ``RequestError/Kind/decoding``. A body that does not fit throws the `DecodingError`.
public struct JSONResponse<Value: Decodable & Sendable>: ResponseSerializer {
  /// Where in the body the value is: names and array indices with dots between; `nil` for the whole body.
  public let keyPath: String?
  /// What decodes; `nil` for the request's decoder or coding, else the agent's.
  public let decoder: JSONDecoder?

  /// Decodes the value at a key path, by default the whole body by ``RequestContext/jsonCoding``.
  ///
  /// The settings of the decoder are those that it has now; an object of a subclass is used itself.
  public init(keyPath: String? = nil, decoder: JSONDecoder? = nil) {
    self.keyPath = keyPath
    self.decoder = decoder?.snapshot
  }

  /// `application/json`.
  public var accept: String? { "application/json" }

  /// Decodes the body.
  ///
  /// Throws a `DecodingError`, also for JSON nested deeper than 512 levels, or a ``Refusal`` when the body is empty or the key path
  /// leads to nothing.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value {
    if response.body.allSatisfy(ASCII.isWhitespace) {
      guard let absent = Self.absent else { throw Refusal("the body is empty", kind: .decoding) }
      return absent
    }
    let reader =
      decoder.map { JSONReader(decoder: $0, dropsNulls: context.dispatched.jsonReader.dropsNulls) }
      ?? context.dispatched.jsonReader
    do {
      return try decode(response.body, by: reader)
    } catch let error as DecodingError {
      throw error.explained(by: response.body) { _ = try decode($0, by: reader) }
    }
  }

  private func decode(_ body: Data, by reader: JSONReader) throws -> Value {
    let keyPath = (keyPath?.isEmpty == false ? keyPath : nil).map(JSONKeyPath.init)
    return try reader.decode(from: body, at: keyPath)
  }

  private static var absent: Value? {
    guard let optional = Value.self as? any ExpressibleByNilLiteral.Type else { return nil }
    return optional.init(nilLiteral: ()) as? Value
  }
}

extension ResponseSerializer {
  /// Decodes JSON; the default where `Response` is `Decodable`.
  ///
  /// - Parameters:
  ///   - keyPath: where in the body the value is, such as `"data.items"` or `"pages.0"`: names of members as the
  ///     server writes them (or as the decoder's `keyDecodingStrategy` gives them) and array indices from 0, with
  ///     dots between. `nil`, the default, decodes the whole body. A path that leads to nothing is an error also
  ///     where the value is optional; null at its end is `nil` there.
  ///   - decoder: what decodes; `nil`, the default, takes the request's ``Request/jsonDecoder`` or ``Request/jsonCoding``, else the
  ///     agent's.
  public static func json<V>(
    keyPath: String? = nil, decoder: JSONDecoder? = nil
  ) -> JSONResponse<V> where Self == JSONResponse<V> {
    JSONResponse(keyPath: keyPath, decoder: decoder)
  }
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
