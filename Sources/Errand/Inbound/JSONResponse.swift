public import Foundation
/// JSON.
public struct JSONResponse<Value: Decodable & Sendable>: ResponseSerializer {
  /// JSON.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value {
    try context.jsonDecoder.decode(Value.self, from: response.body)
  }
}
extension ResponseSerializer {
  /// JSON.
  public static func json<V>() -> JSONResponse<V> where Self == JSONResponse<V> { JSONResponse() }
}
