package import Foundation

/// What an ``UploadProtocol`` says in HTTP; without any state or effect of its own.
protocol UploadDialect: Sendable {
  var name: String { get }
  /// How long a chunk may be, before the server's wishes.
  var chunkSize: Int64 { get }
  /// A rest shorter than this goes with the chunk before it.
  var leastRest: Int64 { get }
  /// Whether the request that begins an upload has a body of its own.
  var beginsWithBody: Bool { get }
  /// Whether an upload is complete as soon as the server has all bytes, so that nothing else ends it.
  var endsByItself: Bool { get }

  /// Throws where it has been given what it cannot say.
  func check() throws(Refusal)

  /// Whether each chunk is to have a checksum.
  var asksForChecksums: Bool { get }
  /// The algorithm of checksums, by what the server says of what it knows; `nil` for none.
  func checksum(in answer: HTTPResponse) -> UploadChecksum?

  /// The fields of the answer to it that tell where to upload, which is all that somebody needs to do so.
  var addressHeaders: [String] { get }
  /// What the request that begins an upload has besides its own fields.
  func beginning(length: Int64?, contentType: String?) -> HTTPHeaders
  /// What asks how far an upload is.
  func question() -> UploadMessage
  /// What sends a chunk.
  func message(for chunk: UploadChunk) -> UploadMessage
  /// What gives an upload up.
  func cancellation() -> UploadMessage

  /// Whether an answer says that the server has understood.
  func accepts(_ head: HTTPResponse) -> Bool
  /// What the server says of an upload that it has begun.
  func begin(_ response: HTTPResponse) throws(Refusal) -> UploadProtocol.State
  /// What it says when it was asked.
  func progress(in answer: HTTPResponse, of state: UploadProtocol.State) throws(Refusal) -> UploadStatus
  /// What it says to a chunk; `nil` where it says nothing of it, as a page does that some other server has answered with.
  func progress(after chunk: UploadChunk, in answer: HTTPResponse) throws(Refusal) -> UploadStatus?
  /// Whether a failure to be told how far it is says that the server knows nothing of the upload.
  func isForgotten(_ status: HTTPResponse.Status) -> Bool
}

extension UploadDialect {
  var leastRest: Int64 { 0 }
  var beginsWithBody: Bool { false }
  var endsByItself: Bool { false }
  var asksForChecksums: Bool { false }
  var addressHeaders: [String] { ["Location"] }
  func check() throws(Refusal) {}
  func checksum(in answer: HTTPResponse) -> UploadChecksum? { nil }
  func accepts(_ head: HTTPResponse) -> Bool { head.status.isSuccess }
  func isForgotten(_ status: HTTPResponse.Status) -> Bool { status == 404 || status == 410 }

  /// The longest granularity that a server may ask for: 8 MiB, because a chunk of a stream is kept in memory.
  static var longestGranularity: Int64 { Int64(UploadProtocol.standardChunkSize) }

  /// The shortest limit of chunks that a server may set, unless the rest of the body fits into one chunk: 16 KiB, because each chunk is a request.
  static var leastLimit: Int64 { 16_384 }

  /// Returns the length of the next chunk.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/invalidResponse`` for a server whose limit would take too many requests.
  func chunkSize(in state: UploadProtocol.State) throws(Refusal) -> Int64 {
    let granularity = min(max(state.granularity, 1), Self.longestGranularity)
    let size = max(chunkSize / granularity * granularity, granularity)
    guard let limit = state.chunkLimit, limit < size else { return size }
    let least = min(size, Self.leastLimit)
    let fits = state.length.map { $0 - min(state.offset, $0) <= limit } ?? false
    guard limit >= least || fits, limit > 0 else {
      throw Refusal(
        "the server takes chunks of at most \(limit) bytes, and \(least) is the least", kind: .invalidResponse
      )
    }
    return limit
  }
}

/// A request to the URL of an upload.
struct UploadMessage {
  let method: HTTPMethod
  var headers: HTTPHeaders
  var body = RequestBody.none
}

/// How far a server is.
struct UploadStatus: Equatable {
  /// How many bytes it has.
  var offset: Int64
  /// Whether it wants no more.
  var isComplete = false
  /// How many there are to be, where it says so.
  var length: Int64?
  /// The longest chunk it takes, where it says so.
  var chunkLimit: Int64?

  /// Why a server cannot have this status; `nil` if it can: it cannot have bytes that were not sent yet.
  ///
  /// - Parameter sentEnd: the end of the bytes that were sent; `nil` if others may have sent some before.
  func problem(of state: UploadProtocol.State, sentEnd: Int64?) -> Refusal? {
    guard
      offset > min(state.length ?? .max, sentEnd ?? .max) || isComplete && offset != state.length
    else { return nil }
    let known = state.length.map { " of \($0)" } ?? ""
    let what = isComplete ? "says that the upload is complete with" : "has"
    let sent = sentEnd.map { offset > $0 ? ", and was sent \($0)" : "" } ?? ""
    return Refusal("the server \(what) \(offset)\(known) bytes\(sent)", kind: .invalidResponse)
  }
}

/// A piece of what is uploaded.
struct UploadChunk {
  let offset: Int64
  let count: Int64
  let body: RequestBody
  /// The length of the whole where this is its end, else `nil`.
  let whole: Int64?
  /// Whether the server is told the length of the whole with the end, as it has not been told before.
  var tellsLength = false
  /// Of its bytes: the algorithm, a blank, the sum in base64; `nil` where none is sent.
  var checksum: String?

  var end: Int64 { offset + count }
  var isLast: Bool { whole != nil }
}

/// The algorithms of a chunk's checksum, best first.
package enum UploadChecksum: String, Codable, Sendable, CaseIterable {
  case sha256, sha512, sha1

  /// Returns the checksum of all bytes of a body; `nil` for a body that cannot be read twice.
  ///
  /// - Parameter pause: called after each MiB; what it throws ends the work.
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

  /// Of bytes in memory: `sha1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=`.
  package func text(of data: Data) -> String {
    var sum = sum
    data.withUnsafeBytes { sum.update($0) }
    return text(of: sum)
  }

  private func text(of sum: RunningSum) -> String {
    "\(rawValue) \(Data(sum.finished()).base64EncodedString())"
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
  /// A field that is a count of bytes; `nil` where it is missing or something else.
  func byteCount(_ name: String) -> Int64? {
    guard let text = headers[name], !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      return nil
    }
    return Int64(text)
  }

  /// Where a field leads from the URL that answered.
  func uploadURL(in name: String) throws(Refusal) -> URL {
    let fields = Set(headers.values(for: name))
    guard fields.count == 1, let text = fields.first, let base = url,
      let target = try? URLParts(absolute: base.absoluteString)?.resolve(text)
    else {
      throw Refusal(
        "the answer to the beginning of the upload has no \(name) that is a URL", kind: .invalidResponse)
    }
    let scheme = target.scheme?.lowercased()
    guard scheme == "https" || scheme == "http" && base.scheme?.lowercased() == "http" else {
      throw Refusal(
        "the server has the upload at a URL of \(scheme ?? "no scheme"), where it would not be encrypted",
        kind: .invalidResponse)
    }
    return target
  }
}
