/// Judges the shape of a JSON body; made by `.json(shape)`.
///
/// It looks at the body only; put `.contentType` before it to ask for the header too. Its refusals are of kind
/// ``RequestError/Kind/jsonShape``.
public struct JSONShapeValidator: ResponseValidator {
  /// The shape asked for.
  public let shape: JSONShape

  /// Refuses a body that is not JSON of the shape: `$.data.items[3].id is a string, not an integer`.
  public func validate(_ response: HTTPResponse, context: RequestContext) throws {
    if response.body.allSatisfy(ASCII.isWhitespace) { throw Self.refusal("the body is empty") }
    let value: JSONValue
    do {
      value = try JSONParser.parse(response.body)
    } catch {
      throw Self.refusal("the body is not JSON: \(error.reason)")
    }
    if let mismatch = shape.mismatch(in: value) { throw Self.refusal(mismatch.description) }
  }

  private static func refusal(_ message: String) -> Refusal { Refusal(message, kind: .jsonShape) }
}

extension ResponseValidator where Self == JSONShapeValidator {
  /// Accepts a body that is JSON of the shape; ``JSONShape`` has the rules.
  ///
  /// ```swift
  /// var validators: [any ResponseValidator] { [.status(200..<300), .json(["data": .array(of: ["id": .integer])])] }
  /// ```
  public static func json(_ shape: JSONShape) -> JSONShapeValidator { JSONShapeValidator(shape: shape) }
}
