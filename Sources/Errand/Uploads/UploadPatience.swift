/// Bounds what a server can make an upload send: judges how much of the bytes sent the server acknowledges, and counts failures and lost bytes.
///
/// With `most` failures allowed, chunks of at most 18 × (`most` + 1) times the length of the body are sent in all. Between two moments of progress at most
/// `most` + 1 chunks are not acknowledged whole, and progress is a sixteenth of the longest of them. The server may lose acknowledged bytes `most` times,
/// each of which sends the body once more at most. The last chunks make no progress where the upload ends with a failure.
struct UploadPatience {
  /// The number of steps that may fail in a row, and the number of times that the server may lose acknowledged bytes.
  let most: Int
  /// The number of steps that failed since the last progress.
  private(set) var failures = 0
  /// The number of times that the server lost acknowledged bytes.
  private(set) var setbacks = 0
  /// The number of acknowledged bytes at the last progress, also of an upload that the server has forgotten since.
  private var base: Int64 = 0
  /// The length of the longest chunk sent since the last progress.
  private var longest: Int64 = 0

  /// Less than so many bytes are no progress, unless the chunks are shorter: 4 KiB.
  private static let least: Int64 = 4_096

  init(most: Int) { self.most = most }

  /// Notes a chunk that is about to be sent.
  mutating func noteChunk(_ count: Int64) { longest = max(longest, count) }

  /// Notes how many bytes the server has; returns whether that is progress, after which failures count from zero.
  mutating func noteAcknowledged(_ offset: Int64) -> Bool {
    guard offset > base, offset - base >= max(longest / 16, min(longest, Self.least)) else { return false }
    (base, longest, failures) = (offset, 0, 0)
    return true
  }

  /// Notes a failed step; returns whether the upload may go on.
  mutating func noteFailure() -> Bool {
    failures += 1
    return failures <= most
  }

  /// Notes that the server lost acknowledged bytes; returns whether the upload may go on.
  mutating func noteSetback() -> Bool {
    setbacks += 1
    return setbacks <= most
  }

  // MARK: Failures that may pass

  /// The cause of a failure after which the server answers and the upload makes no progress.
  struct Stall: Error {}

  /// Returns true for a failure that may not come again.
  static func mayPass(_ error: RequestError) -> Bool {
    if error.cause is Stall { return true }
    // Credentials that could not be fetched have failed for the reason that their request has.
    if error.kind == .authentication, let cause = error.cause as? RequestError { return mayPass(cause) }
    if error.kind == .status, let code = error.status?.code { return passing.contains(code) }
    return error.isConnectionFailure || [.corruptBody, .transport, .circuitOpen].contains(error.kind)
  }

  /// 409 is the answer to a wrong offset, 423 to a second writer; 460 is tus's for a wrong checksum.
  private static var passing: Set<Int> { RetryableStatuses.all.union([409, 423, 460]) }
}
