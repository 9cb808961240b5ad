import ErrandJSON
public import Foundation

/// Decodes JSON at a key path, or by a decoder.
struct JSONResponse<Value: Decodable & Sendable>: ResponseSerializer, JSONSettings {
  let keyPath: String?
  /// `nil` for the request's decoder or coding, else the agent's.
  let decoder: JSONDecoder?

  /// - Parameters:
  ///   - keyPath: names and array indices with dots between; `nil` for the whole body.
  ///   - decoder: an object of `JSONDecoder` itself is copied with its settings; one of a subclass is used itself.
  init(keyPath: String? = nil, decoder: JSONDecoder? = nil) {
    self.keyPath = keyPath
    self.decoder = decoder?.snapshot
  }

  var accept: String? { JSONBody.mediaType }

  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value {
    try JSONBody.value(of: response, at: keyPath, by: decoder, context: context)
  }
}

/// The settings of a ``JSONResponse`` of any value.
protocol JSONSettings {
  var keyPath: String? { get }
  var decoder: JSONDecoder? { get }
}

/// Decodes a whole body as JSON by the request's decoder or coding, else the agent's.
enum JSONReading<Value: Decodable & Sendable>: BodyReader {
  static var accept: String? { JSONBody.mediaType }

  static func value(of response: HTTPResponse, context: RequestContext) throws -> Value {
    try JSONBody.value(of: response, at: nil, by: nil, context: context)
  }
}

enum JSONBody {
  static let mediaType = "application/json"

  /// Decodes a body.
  ///
  /// Throws a `DecodingError`, also for JSON nested deeper than 512 levels, or a ``Refusal`` when the body is empty or the key path leads
  /// to nothing. An empty body, and one of blanks only, is `nil` where the value is optional, and null as a ``JSONValue``.
  static func value<Value: Decodable>(
    of response: HTTPResponse, at keyPath: String?, by decoder: JSONDecoder?, context: RequestContext
  ) throws -> Value {
    if response.body.allSatisfy(ASCII.isWhitespace) {
      guard let absent: Value = absent() else { throw Refusal("the body is empty", kind: .decoding) }
      return absent
    }
    let reader =
      decoder.map { JSONCoding.reader(by: $0, dropsNulls: context.dispatched.jsonReader.dropsNulls) }
      ?? context.dispatched.jsonReader
    do {
      return try decode(response.body, at: keyPath, by: reader)
    } catch let error as DecodingError {
      throw error.explained(by: response.body, reader: reader)
    }
  }

  private static func decode<Value: Decodable>(
    _ body: Data, at keyPath: String?, by reader: JSONReader
  ) throws -> Value {
    let keyPath = (keyPath?.isEmpty == false ? keyPath : nil).map(JSONKeyPath.init)
    do {
      return try reader.decode(from: body, at: keyPath)
    } catch let missing as JSONKeyPath.Missing {
      throw Refusal(missing.reason, kind: .decoding)
    }
  }

  private static func absent<Value>() -> Value? {
    guard let optional = Value.self as? any ExpressibleByNilLiteral.Type else { return nil }
    return optional.init(nilLiteral: ()) as? Value
  }
}

extension ResponseSerializer {
  /// Decodes JSON; the default where `Response` is `Decodable`.
  ///
  /// - Parameters:
  ///   - keyPath: where in the body the value is, such as `"data.items"` or `"pages.0"`: names of members as the server writes them (or as
  ///     the decoder's `keyDecodingStrategy` gives them) and array indices from 0, with dots between. `nil`, the default, decodes the whole
  ///     body. A path that leads to nothing is an error also where the value is optional; null at its end is `nil` there.
  ///   - decoder: what decodes; `nil`, the default, takes the request's ``Request/jsonDecoder`` or ``Request/jsonCoding``, else the
  ///     agent's. The settings of the decoder are those that it has now; an object of a subclass is used itself.
  ///
  /// An empty body, and one of blanks only, is `nil` where the value is optional, null as a ``JSONValue``, and otherwise refused with a
  /// ``Refusal`` of kind ``RequestError/Kind/decoding``. A body that does not fit throws the `DecodingError`.
  public static func json<V: Decodable>(
    keyPath: String? = nil, decoder: JSONDecoder? = nil
  ) -> StandardSerializer<V> where Self == StandardSerializer<V> {
    if keyPath == nil, decoder == nil { return StandardSerializer(reader: JSONReading<V>.self) }
    return StandardSerializer(settings: JSONResponse(keyPath: keyPath, decoder: decoder))
  }
}

extension Request where Response: Decodable {
  /// JSON, decoded by ``jsonDecoder``, else by ``jsonCoding`` or the agent's.
  public var responseSerializer: any ResponseSerializer<Response> { .json() }
}
