/// Makes the value of a response, after validation and `filterResponse`.
///
/// Runs off the main actor unless marked `@MainActor`. Errand includes serializers such as `.json()` and
/// `.text`.
///
/// A thrown error usually causes a ``RequestError`` of kind ``RequestError/Kind/decoding``. A thrown
/// ``Refusal`` or ``TransportError`` usually keeps its own kind.
public protocol ResponseSerializer<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The value of `Accept` (RFC 9110 section 12.5.1) for requests without the field; `nil` by default.
  ///
  /// `nil`: no `Accept` is added. Errand adds no `Accept` to a `customRequest`.
  var accept: String? { get }

  /// Makes the value of an accepted response.
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value
}

extension ResponseSerializer {
  /// `nil`: adds no `Accept`.
  public var accept: String? { nil }
}
