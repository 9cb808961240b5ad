/// Makes the value of a response, after validation and `filterResponse`.
///
/// Runs off the main actor unless marked `@MainActor`. Errand includes serializers such as `.json()` and
/// `.text`.
///
/// Usually a ``Refusal`` and a ``TransportError`` keep their kinds, and other thrown errors cause a
/// ``RequestError`` of kind ``RequestError/Kind/decoding``.
public protocol ResponseSerializer<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The `Accept` (RFC 9110 section 12.5.1) added to requests without the field, except a `customRequest`.
  ///
  /// `nil`, the default: no `Accept` is added.
  var accept: String? { get }

  /// Makes the value of an accepted response.
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value
}

extension ResponseSerializer {
  /// `nil`: adds no `Accept`.
  public var accept: String? { nil }
}
