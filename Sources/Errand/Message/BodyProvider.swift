import ErrandJSON

/// A body that is not one piece of memory: a stream, a file, a document of parts.
protocol BodyProvider: Sendable {
  /// What is sent; one that is replayable begins anew at each call.
  var content: RequestBody.Content { get }
  /// The number of bytes; `nil` when it is not known.
  var length: Int64? { get }
  /// The bytes that it keeps in memory, as far as it knows.
  var memorySize: Int { get }
  /// Whether the same bytes can be sent a second time.
  var isReplayable: Bool { get }
  /// Whether ``content`` is a stream.
  var isStream: Bool { get }
  /// The `Content-Type` that is sent unless the headers have one; `nil` sends none.
  var contentType: String? { get }
  /// The `Content-Encoding` that it is sent with; `nil` for none.
  var contentCoding: String? { get }
  /// What it is and how long, never the bytes.
  var summary: String { get }
  /// The path of the file that it is; `nil` where it is something else.
  var path: String? { get }
  /// What tells the file that it is from another one, and from itself after a change; `nil` where it is none, or was not looked at.
  var stamp: String? { get }
  /// The parts of the form that it is; `nil` where it is something else.
  var formParts: [BodyPart]? { get }
  /// What may store secrets.
  var secretive: [Any] { get }

  /// The same, looked at before anything is sent: what cannot be sent is thrown.
  ///
  /// Called again it does nothing.
  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider

  /// Some of its bytes, which can be sent again and read without those before them; `nil` where that cannot be.
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
  /// A body whose bytes are not kept: a curl command reads the body from its standard input.
  ///
  /// - Parameter length: in bytes; `nil` where it is not known.
  package static func leftOut(length: Int64?) -> RequestBody {
    RequestBody(storage: .provided(LeftOutBody(length: length)))
  }
}

/// Stands for a body that was not kept.
private struct LeftOutBody: BodyProvider {
  let length: Int64?
  let isReplayable = false
  let contentType: String? = nil
  var content: RequestBody.Content { .none }
  var summary: String { length.map { "\($0) bytes" } ?? "a body" }
}
