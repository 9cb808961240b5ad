#if os(Linux)
import CCurl

/// Closes connections that will not be used again: those that were broken, and those that were idle for too long.
///
/// libcurl looks through its idle connections when a transfer looks for one, at most once a second, and never otherwise.
/// So a transfer is made now and then that looks, and cannot open a socket of its own.
struct CurlSweep {
  /// In nanoseconds: libcurl counts whole seconds, and keeps a connection until more than its lifetime has passed.
  private let lifetime: Int64
  private let seconds: Int
  /// Longer than libcurl's second.
  private static let pause: Int64 = 1_050_000_000
  /// When it is due, on the loop's clock; `nil` while there is nothing to close.
  private(set) var deadline: Int64?

  init(_ lifetime: Duration) {
    seconds = Self.seconds(lifetime)
    self.lifetime = Duration.seconds(seconds).clampedNanoseconds + Self.pause
  }

  /// A lifetime as libcurl takes it.
  static func seconds(_ lifetime: Duration) -> Int {
    Int((lifetime.clamped(to: .seconds(1_000_000_000)) / .seconds(1)).rounded(.up))
  }

  /// Notes that a connection rests from now on.
  mutating func didRest(at now: Int64) {
    if deadline == nil { deadline = now + lifetime }
  }

  /// Notes that a connection was broken.
  mutating func didBreak(at now: Int64) { deadline = min(deadline ?? .max, now + Self.pause) }

  func isDue(at now: Int64) -> Bool { deadline.map { $0 <= now } ?? false }

  /// Plans the next one, for what is left after one.
  mutating func plan(_ sockets: CurlSockets, at now: Int64) {
    deadline = sockets.oldestRest.map { max($0 + lifetime, now + Self.pause + lifetime / 8) }
    if sockets.checkBroken() { didBreak(at: now) }
  }

  /// Makes libcurl look through its connections; it may call any callback.
  func look(through multi: UnsafeMutableRawPointer) {
    guard let easy = ccurl_easy_init() else { return }
    defer { ccurl_easy_cleanup(easy) }
    // Nothing is sent: there is no socket for it.
    _ = ccurl_set_open_callback(easy, { _, _, _ in -1 }, nil)
    _ = ccurl_set_string(easy, CCURLOPT_URL, "http://127.0.0.1/")
    _ = ccurl_set_string(easy, CCURLOPT_PROXY, "")
    _ = ccurl_set_long(easy, CCURLOPT_NOSIGNAL, 1)
    // No connection of a request has a near port that was asked for, so none is taken for the transfer. A transfer that must
    // have a new connection would not look through the others, with libcurl 8.22 and newer.
    _ = ccurl_set_long(easy, CCURLOPT_LOCALPORT, 1)
    _ = ccurl_set_long(easy, CCURLOPT_MAXAGE_CONN, seconds)
    guard ccurl_multi_add_handle(multi, easy) == CCURLM_OK else { return }
    var running: Int32 = 0
    _ = ccurl_multi_socket_action(multi, CCURL_SOCKET_TIMEOUT, 0, &running)
    _ = ccurl_multi_remove_handle(multi, easy)
  }
}
#endif
