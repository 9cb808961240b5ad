#if os(Linux)
import CCurl

/// Sends PING frames over the open HTTP/2 connections of a loop.
struct CurlPings {
  /// The interval in nanoseconds, at least a millisecond; `nil`: no PING frames.
  private let interval: Int64?
  /// The time of the next frames in nanoseconds; `nil` without an interval, or without connections.
  private(set) var deadline: Int64?

  init(_ interval: Duration?) {
    self.interval = interval.map { max($0.clampedNanoseconds, 1_000_000) }
  }

  /// Returns true for libcurl 8.10 or newer with HTTP/2.
  ///
  /// An older version does not find the connections of a multi handle.
  static func areSent(by info: ccurl_version_info_data) -> Bool {
    info.version_num >= 0x08_0A_00 && CurlLibrary.speaksHTTP2(info)
  }

  mutating func didOpen(at now: Int64) {
    if deadline == nil, let interval { deadline = now + interval }
  }

  func isDue(at now: Int64) -> Bool { deadline.map { $0 <= now } ?? false }

  mutating func plan(hasConnections: Bool, at now: Int64) {
    deadline = hasConnections ? interval.map { now + $0 } : nil
  }

  /// Sends a PING frame over each HTTP/2 connection that sent none in the last half of the interval.
  ///
  /// libcurl uses the connections of the multi handle, and the limits of the easy handle.
  func send(through multi: UnsafeMutableRawPointer, sweep: CurlSweep) {
    guard let interval, let easy = ccurl_easy_init() else { return }
    defer { ccurl_easy_cleanup(easy) }
    sweep.setLimits(of: easy)
    _ = ccurl_set_long(easy, CCURLOPT_UPKEEP_INTERVAL_MS, Int(clamping: interval / 2_000_000))
    guard ccurl_multi_add_handle(multi, easy) == CCURLM_OK else { return }
    _ = ccurl_easy_upkeep(easy)
    _ = ccurl_multi_remove_handle(multi, easy)
  }
}
#endif
