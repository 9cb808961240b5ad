/// A limit for the failures of an upload.
///
/// Without a limit, a server could make the client send bytes without end. Progress resets the number of
/// failures. Only a sufficient growth of the acknowledged bytes counts as progress: 4,096 bytes or a
/// sixteenth of the longest chunk, whichever is more. If the longest chunk has less than 4,096 bytes, a
/// growth by its length is sufficient.
struct UploadFailureLimit {
  /// The maximum of ``failures``, and also the maximum of ``setbacks``.
  let most: Int
  /// The number of failed steps since the last progress.
  private(set) var failures = 0
  /// The number of times that the server lost acknowledged bytes or the whole upload.
  private(set) var setbacks = 0
  /// The acknowledged bytes at the last progress.
  private var base: Int64 = 0
  /// The longest chunk since the last progress, in bytes.
  private var longest: Int64 = 0

  /// The least growth that counts as progress, in bytes, unless the longest chunk is shorter.
  private static let least: Int64 = 4_096

  init(most: Int) { self.most = most }

  mutating func noteChunk(_ count: Int64) { longest = max(longest, count) }

  /// Notes the acknowledged bytes.
  ///
  /// Returns true for progress.
  mutating func noteAcknowledged(_ offset: Int64) -> Bool {
    guard offset > base, offset - base >= max(longest / 16, min(longest, Self.least)) else { return false }
    (base, longest, failures) = (offset, 0, 0)
    return true
  }

  mutating func noteFailure() -> Bool {
    failures += 1
    return failures <= most
  }

  mutating func noteSetback() -> Bool {
    setbacks += 1
    return setbacks <= most
  }

  // MARK: Failures that may pass

  /// The server responded, but the upload made no progress.
  struct Stall: Error {}

  static func mayPass(_ error: RequestError) -> Bool {
    if error.cause is Stall { return true }
    // If a request for credentials failed, the error of the failed request decides.
    if error.kind == .authentication, let cause = error.cause as? RequestError { return mayPass(cause) }
    if error.kind == .status, let code = error.status?.code { return passing.contains(code) }
    return error.isConnectionFailure || [.corruptBody, .transport, .circuitOpen].contains(error.kind)
  }

  /// 409 means a wrong offset, 423 a second writer, and 460 a wrong tus checksum.
  private static var passing: Set<Int> { RetryableStatuses.all.union([409, 423, 460]) }
}
