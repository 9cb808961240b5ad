package import Foundation

/// The HTTP messages of an ``UploadProtocol``.
protocol UploadDialect: Sendable {
  var name: String { get }
  /// The configured chunk size in bytes.
  var chunkSize: Int64 { get }
  /// The minimum length of the last chunk in bytes; 0 by default.
  ///
  /// A shorter remainder usually joins the preceding chunk.
  var minimumLastChunk: Int64 { get }
  var startMayHaveBody: Bool { get }
  /// True if the last byte ends the upload, without a final message.
  var endsByItself: Bool { get }

  func check() throws(Refusal)

  var usesChecksums: Bool { get }
  func checksum(in answer: HTTPResponse) -> UploadChecksum?

  /// The response headers with the URL or ID of the upload. Logs hide these headers, because the values may
  /// grant write access.
  var addressHeaders: [String] { get }
  func startHeaders(length: Int64?, contentType: String?) -> HTTPHeaders
  func statusQuery() -> UploadMessage
  func message(for chunk: UploadChunk) -> UploadMessage
  func cancellation() -> UploadMessage

  func accepts(_ head: HTTPResponse) -> Bool
  func begin(_ response: HTTPResponse) throws(Refusal) -> UploadProtocol.State
  func progress(in answer: HTTPResponse, of state: UploadProtocol.State) throws(Refusal) -> UploadStatus
  /// Returns the status in the response to a chunk; `nil` without a readable status.
  func progress(after chunk: UploadChunk, in answer: HTTPResponse) throws(Refusal) -> UploadStatus?
  func isForgotten(_ status: HTTPResponse.Status) -> Bool
}

extension UploadDialect {
  var minimumLastChunk: Int64 { 0 }
  var startMayHaveBody: Bool { false }
  var endsByItself: Bool { false }
  var usesChecksums: Bool { false }
  var addressHeaders: [String] { ["Location"] }
  func check() throws(Refusal) {}
  func checksum(in answer: HTTPResponse) -> UploadChecksum? { nil }
  func accepts(_ head: HTTPResponse) -> Bool { head.status.isSuccess }
  func isForgotten(_ status: HTTPResponse.Status) -> Bool { status == 404 || status == 410 }

  /// The largest accepted granularity in bytes.
  ///
  /// The granularity is limited, because a chunk of a stream is held in memory.
  static var longestGranularity: Int64 { Int64(UploadProtocol.standardChunkSize) }

  /// The least chunk limit that Errand accepts from a server, in bytes.
  ///
  /// A lower limit is accepted if the chunk size or the remaining bytes are within the limit.
  static var leastLimit: Int64 { 16_384 }

  func chunkSize(in state: UploadProtocol.State) throws(Refusal) -> Int64 {
    let granularity = min(max(state.granularity, 1), Self.longestGranularity)
    let size = max(chunkSize / granularity * granularity, granularity)
    guard let limit = state.chunkLimit, limit < size else { return size }
    let least = min(size, Self.leastLimit)
    let fits = state.length.map { $0 - min(state.offset, $0) <= limit } ?? false
    guard limit >= least || fits, limit > 0 else {
      throw Refusal(
        "the server accepts chunks of at most \(limit) bytes, less than the minimum of \(least) bytes",
        kind: .invalidResponse
      )
    }
    return limit
  }
}

/// A message to the URL of an upload, without the headers of the caller's request.
struct UploadMessage {
  let method: HTTPMethod
  var headers: HTTPHeaders
  var body = RequestBody.none
}

struct UploadStatus: Equatable {
  var offset: Int64
  var isComplete = false
  /// The total length in bytes; `nil` if not reported.
  var length: Int64?
  /// In bytes; `nil` if not reported.
  var chunkLimit: Int64?

  /// Returns the reason to refuse the status.
  ///
  /// `sentEnd` is the end of the sent bytes, if known.
  func problem(of state: UploadProtocol.State, sentEnd: Int64?) -> Refusal? {
    guard
      offset > min(state.length ?? .max, sentEnd ?? .max) || isComplete && offset != state.length
    else { return nil }
    let known = state.length.map { " of \($0)" } ?? ""
    let what = isComplete ? "reports the upload as complete with" : "has"
    let sent = sentEnd.map { offset > $0 ? ", but only \($0) were sent" : "" } ?? ""
    return Refusal("the server \(what) \(offset)\(known) bytes\(sent)", kind: .invalidResponse)
  }
}

struct UploadChunk {
  let offset: Int64
  let count: Int64
  let body: RequestBody
  /// The total length of the body in bytes; `nil` unless the chunk is the last.
  let totalLength: Int64?
  /// True if the last chunk must state the total length, because the server may not know the length.
  var tellsLength = false
  /// Algorithm, space, and checksum in Base64; `nil` without a checksum.
  var checksum: String?

  var end: Int64 { offset + count }
  var isLast: Bool { totalLength != nil }
}

/// The checksum algorithms for chunks, in order of preference.
package enum UploadChecksum: String, Codable, Sendable, CaseIterable {
  case sha256, sha512, sha1

  /// Returns the algorithm and the checksum of a body; `nil` if the body cannot be read twice.
  func text(of body: RequestBody, pause: () async throws -> Void) async throws -> String? {
    guard let chunks = body.replay else { return nil }
    var (sum, steps) = (sum, WorkSteps())
    for try await chunk in chunks {
      for piece in WorkSteps.pieces(of: chunk) {
        piece.withUnsafeBytes { sum.update($0) }
        if steps.isOver(after: piece.count) { try await pause() }
      }
    }
    return text(of: sum)
  }

  package func text(of data: Data) -> String {
    var sum = sum
    data.withUnsafeBytes { sum.update($0) }
    return text(of: sum)
  }

  private func text(of sum: RunningSum) -> String {
    "\(rawValue) \(Data(sum.digest()).base64EncodedString())"
  }

  private var sum: RunningSum {
    switch self {
    case .sha256: RunningSum(.sha256)
    case .sha512: RunningSum(.sha512)
    case .sha1: RunningSum(.sha1)
    }
  }
}

extension HTTPResponse {
  func byteCount(_ name: String) -> Int64? {
    guard let text = headers[name], !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      return nil
    }
    return Int64(text)
  }

  /// Returns the URL of the upload.
  ///
  /// Accepts `http` only in a response over `http`.
  func uploadURL(in name: String) throws(Refusal) -> URL {
    let fields = Set(headers.values(for: name))
    guard fields.count == 1, let text = fields.first, let base = url,
      let target = try? URLParts(absolute: base.absoluteString)?.resolve(text)
    else {
      throw Refusal(
        "the response that created the upload has no valid URL in \(name)", kind: .invalidResponse)
    }
    let scheme = target.scheme?.lowercased()
    guard scheme == "https" || scheme == "http" && base.scheme?.lowercased() == "http" else {
      throw Refusal(
        "the URL of the upload has \(scheme.map { "the scheme \($0)" } ?? "no scheme"), so the upload would not be encrypted",
        kind: .invalidResponse)
    }
    return target
  }
}
