import ErrandJSON

/// A request body other than bytes in memory or a JSON value.
protocol BodyProvider: Sendable {
  /// Each read of a replayable body starts at the first byte.
  var content: RequestBody.Content { get }
  var length: Int64? { get }
  /// In bytes; 0 if unknown or not in memory.
  var memorySize: Int { get }
  var isReplayable: Bool { get }
  var isStream: Bool { get }
  /// `nil` sends no field.
  var contentType: String? { get }
  var contentCoding: String? { get }
  var summary: String { get }
  var path: String? { get }
  /// A text that usually changes with the body, such as the modification time of a file.
  var stamp: String? { get }
  var formParts: [BodyPart]? { get }
  /// `nil` for a body without compression.
  var uncompressed: RequestBody? { get }
  var secretive: [Any] { get }

  /// Encodes JSON values; may be called repeatedly.
  func prepared(by coding: () -> JSONCoding) throws -> any BodyProvider

  /// `nil` if the range cannot be read separately.
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
  /// A stand-in without content, for a body whose bytes are not kept.
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
