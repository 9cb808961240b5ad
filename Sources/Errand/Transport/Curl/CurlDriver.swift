#if os(Linux)
import CCurl

/// The event loop: lives on one thread, owns libcurl's multi handle and every running transfer.
final class CurlDriver {
  let loop: CurlLoop
  let multi: UnsafeMutableRawPointer?
  private let isWakeable: Bool
  /// The monotonic time in nanoseconds, read once per turn.
  private(set) var now = CurlDriver.monotonicTime()
  var transfers: [ObjectIdentifier: CurlTransfer] = [:]
  var timers = TransferTimers()
  var handles = CurlHandlePool()
  var sockets = CurlSockets()
  /// The transfers with something to deliver at the end of this turn.
  private var withNews: [CurlTransfer] = []

  init(loop: CurlLoop) {
    self.loop = loop
    multi = CurlLibrary.isReady ? curl_multi_init() : nil
    // It fails where libcurl could not open its wake-up socket; the loop then looks around instead of sleeping.
    isWakeable = multi.map { curl_multi_wakeup($0) == CURLM_OK } ?? false
    guard let multi else { return }
    // Idle connections kept for reuse; libcurl's own bound would shrink with the number of running transfers.
    _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 256)
    loop.setWaker(CurlLoop.Waker(multi: multi))
  }

  /// Runs until the loop is closed.
  func run() {
    while turn() {}
    loop.setWaker(nil)
    handles.removeAll()
    if let multi { curl_multi_cleanup(multi) }
  }

  /// One turn: commands, network, timers, then one delivery per transfer, then sleep.
  private func turn() -> Bool {
    now = Self.monotonicTime()
    let (commands, isClosed) = loop.takeCommands()
    for command in commands { obey(command) }
    if isClosed { endAll() }
    if !transfers.isEmpty { perform() }
    deliverNews()
    if isClosed { return false }
    poll()
    return true
  }

  private func perform() {
    var running: Int32 = 0
    curl_multi_perform(multi, &running)
    collectFinished()
    // After the network, so that what has arrived counts before its timer.
    for transfer in timers.removeExpired(at: now) { timeOut(transfer) }
  }

  private func poll() {
    guard loop.willPoll() else { return }
    defer { loop.didPoll() }
    var wait = timers.milliseconds(from: Self.monotonicTime())
    if !isWakeable { wait = min(wait, 10) }
    if multi == nil || curl_multi_poll(multi, nil, 0, wait, nil) != CURLM_OK { usleep(10_000) }
  }

  /// Notes that `transfer` has something to deliver.
  func hasNews(_ transfer: CurlTransfer) { withNews.append(transfer) }

  private func deliverNews() {
    guard !withNews.isEmpty else { return }
    let transfers = withNews
    withNews = []
    for transfer in transfers { transfer.deliver() }
  }

  private static func monotonicTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
#endif
