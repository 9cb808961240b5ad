/// Text.
public struct TextResponse: ResponseSerializer {
  /// Text.
  public func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> String {
    String(decoding: response.body, as: UTF8.self)
  }
}
extension ResponseSerializer where Self == TextResponse {
  /// Text.
  public static var text: TextResponse { TextResponse() }
}
