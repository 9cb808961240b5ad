#if os(Linux)
import CCurl

/// Tracks the bytes sent from a request body.
///
/// libcurl reads a large part of the body at once, and sends smaller parts without a report.
struct CurlUploadWatch {
  /// The length of the body in bytes; `nil` if unknown.
  private let length: Int64?
  let isEmpty: Bool
  private var seen: Int64 = 0
  private var lastLook: Int64
  /// True if the body was read since the last query.
  private var wasRead = false
  /// The start of the last response head, in nanoseconds; `nil` before the head.
  ///
  /// Not set for requests without a body, because libcurl itself measures the start of the response
  /// correctly.
  private(set) var headBegan: Int64?

  init(_ upload: TransferUpload, now: Int64) {
    (length, isEmpty, lastLook) = (upload.length, upload.isEmpty, now)
  }

  var isCompletelySent: Bool { isEmpty || seen == length }

  /// Returns the time of the next query; `nil` after the whole body was sent.
  ///
  /// The interval is a sixteenth of the limit, but at least 1 ms.
  func nextLook(within limit: Int64) -> Int64? {
    isCompletelySent ? nil : lastLook + max(limit / 16, 1_000_000)
  }

  /// Records that the body was read; returns true for the first read since the last query.
  mutating func noteRead() -> Bool {
    defer { wasRead = true }
    return !wasRead
  }

  mutating func noteRewind() { seen = 0 }

  /// Records the start of a head; the last head counts, because a 100 response only allows the
  /// upload.
  mutating func noteHead(at now: Int64) { headBegan = now }

  /// Queries libcurl; returns true if more bytes were sent since the last query.
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
