#if os(Linux)
import CCurl
import Foundation

/// An event loop with a multi handle of libcurl, confined to the loop's thread.
///
/// Unchecked exclusivity is safe here: no callback runs during an access to the variables.
final class CurlDriver {
  let loop: CurlLoop
  let multi: UnsafeMutableRawPointer?
  private let poll: SocketPoll
  private let events: UnsafeMutableBufferPointer<epoll_event>
  /// The time of the monotonic clock in nanoseconds, read once per iteration.
  @exclusivity(unchecked) private(set) var now = CurlDriver.monotonicTime()
  /// The time in nanoseconds at which libcurl asks to be called; `nil` if libcurl has no timer.
  @exclusivity(unchecked) private var curlDeadline: Int64?
  private var commands: [CurlLoop.Command] = []
  @exclusivity(unchecked) var transfers: [ObjectIdentifier: CurlTransfer] = [:]
  @exclusivity(unchecked) var timers = TransferTimers()
  var handles = CurlHandlePool()
  var sockets: CurlSockets
  var sweep: CurlSweep
  var pings: CurlPings
  /// The time of the last response head or body bytes, by HTTP/2 connection, in nanoseconds.
  var lastActivity: [CurlSockets.Ends: Int64] = [:]
  var endedStreams = CurlEndedStreams()
  /// The HTTP/2 connections that libcurl has given up since the last call of `endAbandoned`.
  var abandoned: Set<CurlSockets.Ends> = []
  var agreements: [CurlSockets.Ends: TransportSummary.Metrics.TLSDetails] = [:]
  /// Peers whose new requests use different TLS options with the same meaning.
  ///
  /// libcurl reuses a connection only for requests with equal limits of the TLS version. So new requests
  /// avoid an unresponsive connection.
  var peersToReconnect: Set<String> = []
  var sharing = CurlSharing()
  var uses = CurlUses()
  let repeatedLines = RepeatedLines()
  private var lastHeaderList: CurlHeaderList?
  /// The maximum number of kept connections.
  ///
  /// libcurl's default depends on the number of running transfers.
  var connectionLimit = 256
  /// True after the command `retire`.
  ///
  /// Idle connections are then usually shut down.
  var isRetired = false
  @exclusivity(unchecked) private var withNews: [CurlTransfer] = []
  private var uploading: [CurlTransfer] = []

  init(loop: CurlLoop, poll: SocketPoll) {
    self.loop = loop
    self.poll = poll
    sockets = CurlSockets(poll: poll)
    let pool = loop.connections.pool
    sweep = CurlSweep(loop.idleLifetime, maximumAge: pool.maximumAge)
    pings = CurlPings(pool.pingInterval)
    // A limit of 0 would mean libcurl's default.
    if let limit = pool.maximumIdle { connectionLimit = min(max(limit, 1), 1_000_000) }
    events = .allocate(capacity: loop.eventsAtOnce)
    events.initialize(repeating: epoll_event())
    multi = CurlLibrary.system.failure == nil ? ccurl_multi_init() : nil
    guard let multi else { return }
    _ = ccurl_multi_set_long(multi, CCURLMOPT_MAXCONNECTS, connectionLimit)
    // libcurl's default is 100 concurrent HTTP/2 streams per connection.
    _ = ccurl_multi_set_long(multi, CCURLMOPT_MAX_CONCURRENT_STREAMS, 1000)
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_multi_set_interest_callback(multi, CurlCallbacks.interest, context)
    _ = ccurl_multi_set_timer_callback(multi, CurlCallbacks.timer, context)
  }

  deinit { events.deallocate() }

  func run() {
    while runIteration() {}
    handles.removeAll()
    if let multi { ccurl_multi_cleanup(multi) }
  }

  /// Handles the pending commands, network events and timers.
  ///
  /// Returns false if the loop is closed. The leading `start` commands run before the network events, because
  /// an event may leave a connection idle with unsolicited input that no poll has shown.
  private func runIteration() -> Bool {
    let (mayWait, isClosed) = loop.takeCommands(into: &commands)
    let count = poll.wait(milliseconds: mayWait ? pollTimeout : 0, into: events)
    if mayWait { loop.didWait() }
    now = Self.monotonicTime()
    // Events on idle connections come first, so that no request uses an HTTP/1.1 connection with unsolicited
    // input.
    for event in events[..<count] { noticeIdle(event) }
    // If the event buffer is full, more connections may have input.
    if count == events.count { sockets.breakReadable() }
    sockets.didLook()
    let starts = commands.prefix { $0.isStart }
    for command in starts { obey(command) }
    if !starts.isEmpty, let curlDeadline, curlDeadline <= now { callAtDeadline() }
    for event in events[..<count] { dealWith(event) }
    for command in commands[starts.count...] { obey(command) }
    if isClosed { endAll() }
    if let curlDeadline, curlDeadline <= now { callAtDeadline() }
    if sweep.isDue(at: now) { sweepConnections() }
    if pings.isDue(at: now) { sendPings() }
    collectFinished()
    endAbandoned()
    startWaiting()
    noteUploads()
    // Timeouts come after the network events, because arrived data counts as progress.
    for transfer in timers.removeExpired(at: now) { timeOut(transfer) }
    deliverNews()
    return !isClosed
  }

  func headerList(of headers: HTTPHeaders) -> CurlHeaderList {
    if let lastHeaderList, lastHeaderList.isOf(headers) { return lastHeaderList }
    let list = CurlHeaderList(headers, upload: .none, expectsContinue: false)
    lastHeaderList = list
    return list
  }

  func didReadBody(_ transfer: CurlTransfer) { uploading.append(transfer) }

  private func noteUploads() {
    guard !uploading.isEmpty else { return }
    for transfer in uploading where transfers[ObjectIdentifier(transfer.exchange)] === transfer {
      transfer.noteUploadProgress()
    }
    uploading.removeAll(keepingCapacity: true)
  }

  /// The longest wait for events in milliseconds, rounded up, and at most 60,000.
  private var pollTimeout: Int32 {
    let time = Self.monotonicTime()
    let own = timers.milliseconds(from: time)
    let next = min(curlDeadline ?? .max, sweep.deadline ?? .max, pings.deadline ?? .max)
    guard next < .max else { return own }
    // Rounds up after the division, because the deadline may be near the maximum of `Int64`.
    let wait = max(0, next - time)
    return min(own, Int32(clamping: wait / 1_000_000 + (wait % 1_000_000 > 0 ? 1 : 0)))
  }

  private func noticeIdle(_ event: epoll_event) {
    let events = SocketPoll.Events(rawValue: event.events)
    let isBroken = sockets.noticed(events, on: event.data.fd) {
      transfers.values.contains(where: \.mayBeUnwatched)
    }
    if isBroken { sweep.didBreak(at: now) }
  }

  private func dealWith(_ event: epoll_event) {
    let (socket, events) = (event.data.fd, SocketPoll.Events(rawValue: event.events))
    if poll.isWakeUp(socket) || sockets.isIdle(socket) { return }
    var mask = events.subtracting(.output).isEmpty ? 0 : CCURL_CSELECT_IN
    if !events.isDisjoint(with: [.output, .broken]) { mask |= CCURL_CSELECT_OUT }
    var running: Int32 = 0
    ccurl_multi_socket_action(multi, socket, Int32(mask), &running)
  }

  private func sweepConnections() {
    guard let multi else { return }
    _ = sockets.checkBroken()
    let sweep = sweep
    sweep.look(through: multi)
    self.sweep.plan(sockets, at: now)
  }

  private func sendPings() {
    guard let multi else { return }
    let pings = pings
    pings.send(through: multi, sweep: sweep)
    self.pings.plan(hasConnections: !sockets.openings.isEmpty, at: now)
  }

  // MARK: libcurl's timer

  func setTimer(milliseconds: Int) {
    curlDeadline = milliseconds < 0 ? nil : now + Int64(milliseconds) * 1_000_000
  }

  private func callAtDeadline() {
    curlDeadline = nil
    var running: Int32 = 0
    ccurl_multi_socket_action(multi, CCURL_SOCKET_TIMEOUT, 0, &running)
    guard curlDeadline == nil else { return }
    // After a call that came too early, libcurl may not report the deadline again. So the driver asks.
    var milliseconds = -1
    ccurl_multi_timeout(multi, &milliseconds)
    setTimer(milliseconds: milliseconds)
  }

  // MARK: News

  func hasNews(_ transfer: CurlTransfer) { withNews.append(transfer) }

  private func deliverNews() {
    guard !withNews.isEmpty else { return }
    for transfer in withNews { transfer.deliver() }
    withNews.removeAll(keepingCapacity: true)
  }

  private static func monotonicTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
#endif
