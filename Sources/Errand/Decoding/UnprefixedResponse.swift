import Foundation

/// Drops what a server puts before a body so that no script can read it, and hands the rest on.
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
  /// The same behind a prefix against cross-site script inclusion: `)]}'`, `while(1);` or `for(;;);`.
  ///
  /// ```swift
  /// var responseSerializer: any ResponseSerializer<User> { .json().droppingXSSIPrefix() }
  /// ```
  ///
  /// It also drops a comma that follows `)]}'`, the blanks within and behind a prefix, and a UTF-8 byte order mark before it. A body without a
  /// prefix stays as it is. Positions in errors are counted from where the rest begins. Validators judge the body as it came, so that
  /// `.json(shape)` does not accept it.
  public func droppingXSSIPrefix() -> StandardSerializer<Value> {
    StandardSerializer(settings: UnprefixedResponse(base: self))
  }
}
