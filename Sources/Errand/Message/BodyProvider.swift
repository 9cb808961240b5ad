import ErrandJSON

/// A body not held in memory as a single piece: a stream, a file, a multipart document.
protocol BodyProvider: Sendable {
  /// The content to send; a replayable body starts anew at each call.
  var content: RequestBody.Content { get }
  /// The number of bytes; `nil` if unknown.
  var length: Int64? { get }
  /// The number of bytes held in memory, as far as known.
  var memorySize: Int { get }
  /// True if the same bytes can be sent again.
  var isReplayable: Bool { get }
  /// True if ``content`` is a stream.
  var isStream: Bool { get }
  /// The `Content-Type` sent unless the headers have the field; `nil` sends no type.
  var contentType: String? { get }
  /// The `Content-Encoding` of the body; `nil` for an uncoded body.
  var contentCoding: String? { get }
  /// The kind and the length of the body, never the bytes.
  var summary: String { get }
  /// The path of a body file; `nil` for other bodies.
  var path: String? { get }
  /// The identity and the state of a body file; `nil` for other bodies, and before the file was examined.
  var stamp: String? { get }
  /// The parts of a form body; `nil` for other bodies.
  var formParts: [BodyPart]? { get }
  /// Values that may store secrets.
  var secretive: [Any] { get }

  /// Returns the body checked before sending; throws if the body cannot be sent.
  ///
  /// A second call has no effect.
  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider

  /// Returns a range of the bytes that can be sent again and read independently; `nil` if impossible.
  func slice(_ range: Range<Int64>) -> (any BodyProvider)?
}

extension BodyProvider {
  var isStream: Bool { true }
  var memorySize: Int { 0 }
  var contentCoding: String? { nil }
  var path: String? { nil }
  var stamp: String? { nil }
  var formParts: [BodyPart]? { nil }
  var secretive: [Any] { [] }

  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider { self }
  func slice(_ range: Range<Int64>) -> (any BodyProvider)? { nil }
}

extension RequestBody {
  /// Returns a body without stored bytes, for a curl command that reads the body from standard input.
  ///
  /// - Parameter length: the length in bytes; `nil` if unknown.
  package static func leftOut(length: Int64?) -> RequestBody {
    RequestBody(storage: .provided(LeftOutBody(length: length)))
  }
}

/// A placeholder for a body that was not stored.
private struct LeftOutBody: BodyProvider {
  let length: Int64?
  let isReplayable = false
  let contentType: String? = nil
  var content: RequestBody.Content { .none }
  var summary: String { length.map { "\($0) bytes" } ?? "a body" }
}
