#if os(Linux)
import CCurl
import Foundation

/// The event loop: lives on one thread, owns libcurl's multi handle and every running transfer.
///
/// libcurl tells which sockets and which time it waits for, and is called for those alone, so a turn costs what has
/// happened, however many transfers run.
final class CurlDriver {
  let loop: CurlLoop
  let multi: UnsafeMutableRawPointer?
  private let poll: SocketPoll
  private let events: UnsafeMutableBufferPointer<epoll_event>
  /// The monotonic time in nanoseconds, read once per turn.
  private(set) var now = CurlDriver.monotonicTime()
  /// When libcurl wants to be called again, whatever happens until then.
  private var curlDeadline: Int64?
  private var commands: [CurlLoop.Command] = []
  var transfers: [ObjectIdentifier: CurlTransfer] = [:]
  var timers = TransferTimers()
  var handles = CurlHandlePool()
  var sockets: CurlSockets
  var sweep: CurlSweep
  /// The HTTP/2 connections, by their ends: when something was last heard of a transfer over each.
  var heard: [CurlSockets.Ends: Int64] = [:]
  var endedStreams = CurlEndedStreams()
  /// What TLS agreed on for the connections, by their ends.
  var agreements: [CurlSockets.Ends: TransportSummary.Metrics.TLSDetails] = [:]
  /// The origins that had a deaf connection, and whose next ones are of the other kind.
  var renewed: Set<String> = []
  var sharing = CurlSharing()
  /// Idle connections kept for reuse; libcurl's own bound would shrink with the number of running transfers.
  var connectionLimit = 256
  /// No connection is kept for later.
  var isRetired = false
  /// The transfers with something to deliver at the end of this turn.
  private var withNews: [CurlTransfer] = []
  /// The transfers whose body was read from in this turn; what was read has left in the same turn, if the connection took it.
  private var givers: [CurlTransfer] = []

  init(loop: CurlLoop, poll: SocketPoll) {
    self.loop = loop
    self.poll = poll
    sockets = CurlSockets(poll: poll)
    sweep = CurlSweep(loop.idleLifetime)
    events = .allocate(capacity: loop.eventsAtOnce)
    events.initialize(repeating: epoll_event())
    multi = CurlLibrary.system.failure == nil ? ccurl_multi_init() : nil
    guard let multi else { return }
    _ = ccurl_multi_set_long(multi, CCURLMOPT_MAXCONNECTS, connectionLimit)
    // The server says how many requests it takes at once over HTTP/2; libcurl's own bound would be 100.
    _ = ccurl_multi_set_long(multi, CCURLMOPT_MAX_CONCURRENT_STREAMS, 1000)
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_multi_set_interest_callback(multi, CurlCallbacks.interest, context)
    _ = ccurl_multi_set_timer_callback(multi, CurlCallbacks.timer, context)
  }

  deinit { events.deallocate() }

  /// Runs until the loop is closed.
  func run() {
    while turn() {}
    handles.removeAll()
    if let multi { ccurl_multi_cleanup(multi) }
  }

  /// One turn: commands are taken, the network is asked, or waited for when there is no command, then both are dealt
  /// with, then the timers, then there is one delivery per transfer.
  ///
  /// What the network has to say counts before a command that was posted after it, but for requests: they go over connections
  /// that rested when the poll was asked, and of those that come to rest only now it is not known what has come.
  private func turn() -> Bool {
    let (mayWait, isClosed) = loop.takeCommands(into: &commands)
    let count = poll.wait(milliseconds: mayWait ? patience : 0, into: events)
    if mayWait { loop.didWait() }
    now = Self.monotonicTime()
    // A connection that has finished resting must not be taken by what the other events make libcurl do.
    for event in events[..<count] { noticeResting(event) }
    // Where there was no room for more events, the poll may know of other connections that have something to read.
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
    collectFinished()
    startWaiting()
    noteGivers()
    // After the network, so that what has arrived counts before its timer.
    for transfer in timers.removeExpired(at: now) { timeOut(transfer) }
    deliverNews()
    return !isClosed
  }

  /// Notes that the body of a transfer was read from.
  func hasGiven(_ transfer: CurlTransfer) { givers.append(transfer) }

  private func noteGivers() {
    guard !givers.isEmpty else { return }
    // One that has ended has given its handle away.
    for transfer in givers where transfers[ObjectIdentifier(transfer.exchange)] === transfer {
      transfer.noteUploadProgress()
    }
    givers.removeAll(keepingCapacity: true)
  }

  /// How long to wait at most, in milliseconds, rounded up.
  private var patience: Int32 {
    let time = Self.monotonicTime()
    let own = timers.milliseconds(from: time)
    let next = min(curlDeadline ?? .max, sweep.deadline ?? .max)
    guard next < .max else { return own }
    // Rounded up by hand: a deadline may be near the end of the numbers.
    let wait = max(0, next - time)
    return min(own, Int32(clamping: wait / 1_000_000 + (wait % 1_000_000 > 0 ? 1 : 0)))
  }

  private func noticeResting(_ event: epoll_event) {
    let events = SocketPoll.Events(rawValue: event.events)
    let isBroken = sockets.noticed(events, on: event.data.fd) { transfers.values.contains(where: \.isPaused) }
    if isBroken { sweep.didBreak(at: now) }
  }

  private func dealWith(_ event: epoll_event) {
    let (socket, events) = (event.data.fd, SocketPoll.Events(rawValue: event.events))
    if poll.isWakeUp(socket) || sockets.isResting(socket) { return }
    // An end or an error is found by reading and writing.
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

  // MARK: libcurl's timer

  func setTimer(milliseconds: Int) {
    curlDeadline = milliseconds < 0 ? nil : now + Int64(milliseconds) * 1_000_000
  }

  private func callAtDeadline() {
    curlDeadline = nil
    var running: Int32 = 0
    ccurl_multi_socket_action(multi, CCURL_SOCKET_TIMEOUT, 0, &running)
    guard curlDeadline == nil else { return }
    // It does not repeat a time it has told already, and may have been called a bit too early for it.
    var milliseconds = -1
    ccurl_multi_timeout(multi, &milliseconds)
    setTimer(milliseconds: milliseconds)
  }

  // MARK: News

  /// Notes that `transfer` has something to deliver.
  func hasNews(_ transfer: CurlTransfer) { withNews.append(transfer) }

  private func deliverNews() {
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
