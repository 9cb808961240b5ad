#if os(Linux)
import CCurl

/// How much of a request's body has left: libcurl asks for a large buffer at once, sends it in pieces, and tells nobody.
struct CurlUploadWatch {
  /// How long the body is; `nil` where that is not known.
  private let length: Int64?
  let isEmpty: Bool
  private var seen: Int64 = 0
  /// When libcurl was asked last.
  private var lastLook: Int64
  /// Whether the body was read from since then.
  private var wasRead = false
  /// When the head of the answer began, in nanoseconds; `nil` without a body, of which libcurl takes the beginning for it.
  private(set) var headBegan: Int64?

  init(_ upload: TransferUpload, now: Int64) {
    (length, isEmpty, lastLook) = (upload.length, upload.isEmpty, now)
  }

  /// Whether nothing is left to be sent, as far as is known.
  private var hasLeft: Bool { isEmpty || seen == length }

  /// When it is time to ask again: a sixteenth of a limit of time late at most; `nil` where nothing is left.
  func nextLook(within limit: Int64) -> Int64? { hasLeft ? nil : lastLook + max(limit / 16, 1_000_000) }

  /// Notes that the body was read from; `true` for the first time since the last look.
  mutating func noteRead() -> Bool {
    defer { wasRead = true }
    return !wasRead
  }

  /// Notes that the body is sent from its beginning again.
  mutating func noteRewind() { seen = 0 }

  /// Notes the beginning of a head: of several the last counts, as a 100 only lets the body go.
  mutating func noteHead(at now: Int64) { headBegan = now }

  /// Asks libcurl; whether more has left since the last look.
  mutating func look(at handle: CurlHandle, now: Int64) -> Bool {
    wasRead = false
    guard !hasLeft else { return false }
    lastLook = now
    var uploaded: Int64 = 0
    _ = ccurl_get_offset(handle.easy, CCURLINFO_SIZE_UPLOAD_T, &uploaded)
    defer { seen = uploaded }
    return uploaded != seen
  }
}
#endif
