import ErrandJSON
public import Foundation

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
      decoder.map { JSONCoding.reader(by: $0, dropsNulls: context.dispatched.jsonReader.dropsNulls) }
      ?? context.dispatched.jsonReader
    do {
      return try decode(response.body, by: reader)
    } catch let error as DecodingError {
      throw error.explained(by: response.body, reader: reader)
    }
  }

  private func decode(_ body: Data, by reader: JSONReader) throws -> Value {
    let keyPath = (keyPath?.isEmpty == false ? keyPath : nil).map(JSONKeyPath.init)
    do {
      return try reader.decode(from: body, at: keyPath)
    } catch let missing as JSONKeyPath.Missing {
      throw Refusal(missing.reason, kind: .decoding)
    }
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

extension Request where Response: Decodable {
  /// JSON, decoded by ``jsonDecoder``, else by ``jsonCoding`` or the agent's.
  public var responseSerializer: any ResponseSerializer<Response> { .json() }
}
