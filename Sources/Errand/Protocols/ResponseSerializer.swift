/// Makes the value of a response, after validation and `filterResponse`.
///
/// Runs off the main actor unless marked `@MainActor`. Errand includes serializers such as `.json()` and
/// `.text`.
///
/// A thrown error causes a ``RequestError`` of kind ``RequestError/Kind/decoding``, or of the kind of a
/// ``Refusal``.
public protocol ResponseSerializer<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The `Accept` field (RFC 9110 section 12.5.1); `nil` by default: no field.
  var accept: String? { get }

  /// Makes the value of an accepted response.
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value
}

extension ResponseSerializer {
  /// `nil`: adds no `Accept`.
  public var accept: String? { nil }
}
