import ErrandJSON
public import Foundation

struct JSONResponse<Value: Decodable & Sendable>: ResponseSerializer, JSONSettings {
  let keyPath: String?
  let decoder: JSONDecoder?

  /// A plain `JSONDecoder` is copied; an instance of a subclass is used directly.
  init(keyPath: String? = nil, decoder: JSONDecoder? = nil) {
    self.keyPath = keyPath
    self.decoder = decoder?.snapshot
  }

  var accept: String? { JSONBody.mediaType }

  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value {
    try JSONBody.value(of: response, at: keyPath, by: decoder, context: context)
  }
}

/// The settings of a ``JSONResponse``, without its generic parameter.
protocol JSONSettings {
  var keyPath: String? { get }
  var decoder: JSONDecoder? { get }
}

enum JSONReading<Value: Decodable & Sendable>: BodyReader {
  static var accept: String? { JSONBody.mediaType }

  static func value(of response: HTTPResponse, context: RequestContext) throws -> Value {
    try JSONBody.value(of: response, at: nil, by: nil, context: context)
  }
}

enum JSONBody {
  static let mediaType = "application/json"

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
  /// Decodes JSON; the default for most `Decodable` types.
  ///
  /// An empty body decodes to `nil` for an optional value. Errors are usually `DecodingError` or ``Refusal``.
  ///
  /// - Parameters:
  ///   - keyPath: The location of the value, such as `"data.items"` or `"pages.0"`; `nil` is the whole body.
  ///   - decoder: The decoder; `nil` uses the request's decoder or JSON coding, or the agent's coding.
  public static func json<V: Decodable>(
    keyPath: String? = nil, decoder: JSONDecoder? = nil
  ) -> StandardSerializer<V> where Self == StandardSerializer<V> {
    if keyPath == nil, decoder == nil { return StandardSerializer(reader: JSONReading<V>.self) }
    return StandardSerializer(settings: JSONResponse(keyPath: keyPath, decoder: decoder))
  }
}

extension Request where Response: Decodable {
  /// The JSON serializer.
  public var responseSerializer: any ResponseSerializer<Response> { .json() }
}
