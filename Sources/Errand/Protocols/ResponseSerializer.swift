/// Makes the value of a response, after validation and `filterResponse`.
///
/// Runs off the main actor unless marked `@MainActor`. Errand includes `.json()`, `.jsonLines()`, `.data`,
/// `.text`, `.none`, `.response`, `.multipart` and `.file(to:)`. Write a serializer for any other format.
///
/// A thrown error is the cause of a ``RequestError`` of kind ``RequestError/Kind/decoding``. A thrown
/// ``Refusal`` or ``TransportError`` chooses the kind. A cancellation or an exceeded time limit takes
/// precedence over the error.
public protocol ResponseSerializer<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// The `Accept` field (RFC 9110 section 12.5.1) of requests without an `Accept`; `nil`, the default: no
  /// field.
  ///
  /// A ``Request/customRequest`` gets no field.
  var accept: String? { get }

  /// Makes the value of a response accepted by every validator.
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value
}

extension ResponseSerializer {
  /// `nil`: adds no `Accept`.
  public var accept: String? { nil }
}
