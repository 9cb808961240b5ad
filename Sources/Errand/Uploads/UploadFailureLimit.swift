/// A limit on the bytes that a server can make an upload send.
///
/// Progress means that the acknowledged bytes have grown by a sixteenth of the longest chunk.
struct UploadFailureLimit {
  /// The maximum number of failed steps without progress, and of losses of acknowledged bytes.
  let most: Int
  private(set) var failures = 0
  private(set) var setbacks = 0
  /// The acknowledged bytes at the last progress.
  private var base: Int64 = 0
  private var longest: Int64 = 0

  /// The usual lower bound of the minimum progress, in bytes.
  private static let least: Int64 = 4_096

  init(most: Int) { self.most = most }

  /// Called before the chunk is sent.
  mutating func noteChunk(_ count: Int64) { longest = max(longest, count) }

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
