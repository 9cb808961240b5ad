#if os(Linux)
import CCurl

/// Tracks the sent bytes of a request body, because libcurl may read the body long before sending.
struct CurlUploadWatch {
  /// The length of the body in bytes; `nil` if unknown, and for a body with trailers.
  private let length: Int64?
  let isEmpty: Bool
  private(set) var seen: Int64 = 0
  private var lastLook: Int64
  private var wasRead = false
  /// The time of the server's last status line in nanoseconds; `nil` without such a line or a request body.
  private(set) var headBegan: Int64?

  init(_ upload: TransferUpload, now: Int64) {
    (length, isEmpty, lastLook) = (upload.length, upload.isEmpty, now)
  }

  var isCompletelySent: Bool { isEmpty || seen == length }

  /// Returns the time of the next look at the sent bytes, in nanoseconds; `nil` if the whole body is sent.
  func nextLook(within limit: Int64) -> Int64? {
    isCompletelySent ? nil : lastLook + max(limit / 16, 1_000_000)
  }

  mutating func noteRead() -> Bool {
    defer { wasRead = true }
    return !wasRead
  }

  mutating func noteRewind() { seen = 0 }

  mutating func noteHead(at now: Int64) { headBegan = now }

  mutating func look(at handle: CurlHandle, now: Int64) -> Bool {
    wasRead = false
    guard !isCompletelySent else { return false }
    lastLook = now
    var uploaded: Int64 = 0
    _ = ccurl_get_offset(handle.easy, CCURLINFO_SIZE_UPLOAD_T, &uploaded)
    defer { seen = uploaded }
    return uploaded != seen
  }
}
#endif
