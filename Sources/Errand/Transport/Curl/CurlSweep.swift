#if os(Linux)
import CCurl

/// Closes idle connections that are broken, or have exceeded the idle lifetime or the maximum age.
///
/// libcurl examines its idle connections when a transfer looks for a connection. So the sweep starts a
/// transfer that cannot open a socket.
struct CurlSweep {
  /// The shorter of the idle lifetime and the maximum age, plus ``pause``, in nanoseconds.
  ///
  /// The pause is added because libcurl may count only whole seconds.
  private let lifetime: Int64
  private let seconds: Int
  /// The maximum age in seconds; `nil`: no limit.
  private let age: Int?
  /// The shortest pause between sweeps in nanoseconds, slightly longer than libcurl's interval of a second.
  private static let pause: Int64 = 1_050_000_000
  /// The time of the next sweep in nanoseconds; `nil` if no sweep is planned.
  private(set) var deadline: Int64?

  init(_ lifetime: Duration, maximumAge: Duration? = nil) {
    seconds = Self.seconds(lifetime)
    age = maximumAge.map(Self.seconds)
    // A connection is at least as old as its idle time.
    let shorter = min(seconds, age ?? seconds)
    self.lifetime = Duration.seconds(shorter).clampedNanoseconds + Self.pause
  }

  /// Whole seconds, rounded up, and at most 1,000,000,000.
  static func seconds(_ lifetime: Duration) -> Int {
    Int((lifetime.clamped(to: .seconds(1_000_000_000)) / .seconds(1)).rounded(.up))
  }

  mutating func didBecomeIdle(at now: Int64) {
    if deadline == nil { deadline = now + lifetime }
  }

  mutating func didBreak(at now: Int64) { deadline = min(deadline ?? .max, now + Self.pause) }

  func isDue(at now: Int64) -> Bool { deadline.map { $0 <= now } ?? false }

  mutating func plan(_ sockets: CurlSockets, at now: Int64) {
    deadline = sockets.oldestIdleStart.map { max($0 + lifetime, now + Self.pause + lifetime / 8) }
    if sockets.checkBroken() { didBreak(at: now) }
  }

  /// Makes libcurl examine its idle connections.
  ///
  /// Callbacks of transfers may run during the call.
  func look(through multi: UnsafeMutableRawPointer) {
    guard let easy = ccurl_easy_init() else { return }
    defer { ccurl_easy_cleanup(easy) }
    setLimits(of: easy)
    // A fixed local port rules out reuse of a connection. With `CURLOPT_FRESH_CONNECT`, libcurl 8.22 and
    // newer would skip the idle connections.
    _ = ccurl_set_long(easy, CCURLOPT_LOCALPORT, 1)
    guard ccurl_multi_add_handle(multi, easy) == CCURLM_OK else { return }
    var running: Int32 = 0
    _ = ccurl_multi_socket_action(multi, CCURL_SOCKET_TIMEOUT, 0, &running)
    _ = ccurl_multi_remove_handle(multi, easy)
  }

  /// Sets the limits of idle connections on a handle that opens no socket.
  func setLimits(of easy: UnsafeMutableRawPointer) {
    _ = ccurl_set_open_callback(easy, { _, _, _ in -1 }, nil)
    _ = ccurl_set_string(easy, CCURLOPT_URL, "http://127.0.0.1/")
    _ = ccurl_set_string(easy, CCURLOPT_PROXY, "")
    _ = ccurl_set_long(easy, CCURLOPT_NOSIGNAL, 1)
    _ = ccurl_set_long(easy, CCURLOPT_MAXAGE_CONN, seconds)
    if let age { _ = ccurl_set_long(easy, CCURLOPT_MAXLIFETIME_CONN, age) }
  }
}
#endif
