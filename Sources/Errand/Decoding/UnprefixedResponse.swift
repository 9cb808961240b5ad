import Foundation

private struct UnprefixedResponse<Base: ResponseSerializer>: ResponseSerializer {
  let base: Base

  var accept: String? { base.accept }

  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Base.Value {
    var rest = response
    rest.body = XSSIPrefix.dropped(from: response.body)
    return try await base.serialize(rest, context: context)
  }
}

extension ResponseSerializer {
  /// Returns a serializer that first removes an XSSI prefix, such as `)]}'`.
  ///
  /// ```swift
  /// var responseSerializer: any ResponseSerializer<User> { .json().droppingXSSIPrefix() }
  /// ```
  ///
  /// Validators see the original body, so the validator `.json(shape)` refuses a body with a prefix.
  public func droppingXSSIPrefix() -> StandardSerializer<Value> {
    StandardSerializer(settings: UnprefixedResponse(base: self))
  }
}
