import ErrandJSON

/// A request body such as a file, a stream or a multipart document.
protocol BodyProvider: Sendable {
  /// The content. For a replayable body, each access starts at the first byte.
  var content: RequestBody.Content { get }
  var length: Int64? { get }
  /// The number of bytes known to be in memory.
  var memorySize: Int { get }
  var isReplayable: Bool { get }
  var isStream: Bool { get }
  /// `nil`: the body sets no `Content-Type`.
  var contentType: String? { get }
  var contentCoding: String? { get }
  var summary: String { get }
  var path: String? { get }
  /// A text that usually changes when the body changes, such as the length and modification time of a file.
  var stamp: String? { get }
  var formParts: [BodyPart]? { get }
  /// The body before compression; `nil` for any body other than gzip.
  var uncompressed: RequestBody? { get }
  var secretive: [Any] { get }

  /// Returns the body ready to be sent, with JSON values encoded. May be called repeatedly.
  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider

  /// Returns a range of the body; `nil` if the body cannot be read in ranges.
  func slice(_ range: Range<Int64>) -> (any BodyProvider)?
}

extension BodyProvider {
  var isStream: Bool { true }
  var memorySize: Int { 0 }
  var contentCoding: String? { nil }
  var path: String? { nil }
  var stamp: String? { nil }
  var formParts: [BodyPart]? { nil }
  var uncompressed: RequestBody? { nil }
  var secretive: [Any] { [] }

  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider { self }
  func slice(_ range: Range<Int64>) -> (any BodyProvider)? { nil }
}

extension RequestBody {
  /// Returns a stand-in without content, for a body whose bytes are not kept.
  package static func leftOut(length: Int64?) -> RequestBody {
    RequestBody(storage: .provided(LeftOutBody(length: length)))
  }
}

private struct LeftOutBody: BodyProvider {
  let length: Int64?
  let isReplayable = false
  let contentType: String? = nil
  var content: RequestBody.Content { .none }
  var summary: String { length.map { "\($0) bytes" } ?? "a body" }
}
