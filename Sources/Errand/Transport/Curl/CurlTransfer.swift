#if os(Linux)
import CCurl
import Foundation

/// A running transfer, confined to the loop's thread.
///
/// libcurl does not nest its callbacks, so state changed by callbacks needs no exclusivity checks.
final class CurlTransfer {
  let exchange: CurlExchange
  let handle: CurlHandle
  /// The driver of the transfer, in a reference cycle until the transfer has ended.
  let driver: CurlDriver
  @exclusivity(unchecked) var parser: CurlHeadParser
  /// Errand's own error, which replaces libcurl's code.
  var failure: (any Error)?
  /// The list of header fields.
  ///
  /// libcurl uses the list until ``release()``.
  var headerList: CurlHeaderList?
  @exclusivity(unchecked) var receivedBytes: Int64 = 0
  @exclusivity(unchecked) var body = CurlTransferBody()
  @exclusivity(unchecked) var sending = CurlSending()
  @exclusivity(unchecked) var steps = CurlConnectionSteps()
  /// The socket last left unwatched while the transfer was paused or throttled.
  var place: CurlSockets.Place?
  @exclusivity(unchecked) var tlsChecks = CurlTLSChecks()
  /// `nil` if header lines need no check.
  @exclusivity(unchecked) var headGuard: CurlHeadGuard?
  /// True if the transfer ends with the response head, even if the server sends a body.
  var endsWithHead = false
  @exclusivity(unchecked) var route = CurlRoute()
  /// True for a request with a body and the field `Expect`.
  ///
  /// A 417 response then ends the transfer, because libcurl might repeat the request.
  var expectsContinue = false
  /// True if libcurl may stop watching the socket to limit the speed.
  var isThrottled = false

  /// The ``deadline`` at the last insertion into ``TransferTimers``, in nanoseconds.
  var timer: Int64 = 0
  var timerIndex: Int?

  @exclusivity(unchecked) private var times: TransferTimes
  @exclusivity(unchecked) var uploadWatch: CurlUploadWatch
  private(set) var pauses = TransferPauses()
  @exclusivity(unchecked) private var news = TransferNews()
  @exclusivity(unchecked) private var hasNews = false

  init(_ exchange: CurlExchange, handle: CurlHandle, driver: CurlDriver) {
    self.exchange = exchange
    self.handle = handle
    self.driver = driver
    parser = CurlHeadParser(
      exchange.request.limits, isHeadRequest: exchange.request.request.method == .head,
      informational: exchange.request.informational, repeated: driver.repeatedLines)
    times = TransferTimes(
      timeout: exchange.request.timeout, limits: exchange.request.limits, now: driver.now)
    uploadWatch = CurlUploadWatch(exchange.upload, now: driver.now)
  }

  func release() {
    body.pump?.stop()
    headerList = nil
  }

  // MARK: Progress

  /// The time of the next check, in nanoseconds of the loop's clock.
  var deadline: Int64 { min(times.deadline, uploadWatch.nextLook(within: times.shortest) ?? .max) }

  var isPaused: Bool { pauses.isAny }

  var isPausedForCaller: Bool { pauses.isForCaller }

  /// True if the transfer may use a connection whose socket libcurl does not watch.
  var mayBeUnwatched: Bool { isPaused || isThrottled }

  /// True if the connection may use HTTP/2.
  var isShared: Bool { handle.mayMultiplex && parser.mayBeShared }

  var lastProgress: Int64 { times.lastProgress }

  var begun: Int64 { times.begun }

  /// The time from the start to the server's last status line; `nil` without such a line or a request body.
  var waitForHead: Duration? { uploadWatch.headBegan.map { .nanoseconds($0 - times.begun) } }

  var isSilent: Bool { times.isSilent(at: driver.now) }

  var localPort: Int32 {
    sending.localPort > 0
      ? sending.localPort : Int32(truncatingIfNeeded: handle.count(CCURLINFO_LOCAL_PORT))
  }

  func noteProgress() { times.noteProgress(at: driver.now) }

  func noteReceived(_ count: Int) {
    if times.noteReceived(count, at: driver.now) { driver.timers.update(self) }
  }

  func noteHeard() {
    if parser.isShared, let ends = sending.ends { driver.lastActivity[ends] = driver.now }
  }

  func noteBodyRead() {
    times.noteSent(at: driver.now)
    if uploadWatch.noteRead() { driver.didReadBody(self) }
  }

  func breach() -> TransportError? {
    noteUploadProgress()
    if pauses.isOfSendingAlone, body.wasAsked() { noteProgress() }
    return times.breach(at: driver.now, isWaitingForBody: pauses.isOfSendingAlone) {
      var microseconds: Int64 = 0
      _ = ccurl_get_offset(handle.easy, CCURLINFO_PRETRANSFER_TIME_T, &microseconds)
      return microseconds > 0 ? Int64(microseconds).multipliedReportingOverflow(by: 1000).partialValue : nil
    }
  }

  func noteUploadProgress() {
    let seen = uploadWatch.seen
    guard uploadWatch.look(at: handle, now: driver.now) else { return }
    noteProgress()
    times.noteSent(uploadWatch.seen - seen, at: driver.now)
  }

  // MARK: Pausing

  func pausesReceiving() -> Bool {
    pauses.receiving = exchange.pauses(with: news.buffered)
    return pauses.receiving
  }

  func pauseSending() {
    pauses.sending = true
    body.watchReads()
  }

  func resumeReceiving() -> CCURLcode {
    pauses.receiving = false
    return applyPauses()
  }

  func resumeSending() -> CCURLcode { pauses.sending ? stopPauseOfSending() : CCURLE_OK }

  func abandonBody(isCut: Bool) -> CCURLcode {
    body.abandon(isCut: isCut)
    return stopPauseOfSending()
  }

  private func stopPauseOfSending() -> CCURLcode {
    pauses.sending = false
    return applyPauses()
  }

  func note(_ event: CurlHTTP2Trace) {
    sending.note(event, driver: driver)
    if event == .left || event == .downgraded { leaveConnection() }
    // Some versions of libcurl would first repeat the request over the same connection.
    if event == .downgraded { handle.set(CCURLOPT_FRESH_CONNECT, to: true) }
  }

  func leaveConnection() {
    sending.leave(driver)
    pauses.sending = false
    times.restart(at: driver.now)
  }

  /// Reads the suspension signal.
  ///
  /// A suspended transfer pauses at the latest at the next body bytes.
  func followSuspension() -> CCURLcode {
    let wasSuspended = pauses.isSuspended
    pauses.isSuspended = exchange.request.suspension?.isSuspended ?? false
    return wasSuspended && !pauses.isSuspended ? applyPauses() : CCURLE_OK
  }

  /// Passes the pauses to libcurl.
  ///
  /// Callbacks during `ccurl_easy_pause` may pause the transfer again.
  private func applyPauses() -> CCURLcode {
    times.restart(at: driver.now)
    if !isPausedForCaller { driver.timers.insert(self) }
    return ccurl_easy_pause(handle.easy, pauses.mask)
  }

  func giveTrailers(_ list: CurlTrailers.List) -> Int32 {
    guard let refusal = body.giveTrailers(list) else { return CCURL_TRAILERFUNC_OK }
    failure = refusal
    return CCURL_TRAILERFUNC_ABORT
  }

  // MARK: News

  func report(_ change: (inout TransferNews) -> Void) {
    change(&news)
    announceNews()
  }

  /// Adds bytes to the body's block.
  ///
  /// The block is announced when the body is complete, or the transfer ends.
  func report(_ bytes: UnsafeRawBufferPointer, ofBody length: Int) {
    if news.append(bytes, ofBody: length) { announceNews() }
  }

  func report(_ head: consuming HTTPResponse) {
    news.head = head
    announceNews()
  }

  func report(_ ending: Result<Void, any Error>, with summary: consuming TransportSummary) {
    (news.ending, news.summary) = (ending, summary)
    announceNews()
  }

  private func announceNews() {
    guard !hasNews else { return }
    hasNews = true
    driver.hasNews(self)
  }

  func deliver() {
    let delivered = news.take(keepsBlock: !exchange.request.isBulk)
    hasNews = false
    exchange.deliver(delivered)
  }
}
#endif
