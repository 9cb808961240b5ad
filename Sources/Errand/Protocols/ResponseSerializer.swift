/// Makes the value of a response, after validation and `filterResponse`.
///
/// Runs off the main actor unless marked `@MainActor`. Errand includes serializers such as `.json()`, `.text`
/// and `.file(to:)`.
///
/// A thrown error is the cause of a ``RequestError`` of kind ``RequestError/Kind/decoding``. A thrown
/// ``Refusal`` or ``TransportError`` chooses the kind.
public protocol ResponseSerializer<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The `Accept` field of requests without an own (RFC 9110 section 12.5.1); `nil`, the default: no field.
  var accept: String? { get }

  /// Makes the value of an accepted response.
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value
}

extension ResponseSerializer {
  /// `nil`: adds no `Accept`.
  public var accept: String? { nil }
}
