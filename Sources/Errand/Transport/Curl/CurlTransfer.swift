#if os(Linux)
import CCurl
import Foundation

/// A running transfer as the loop sees it; lives and dies on the loop's thread.
///
/// libcurl's callbacks do not come inside one another, so what each of them changes needs no check for it.
final class CurlTransfer {
  let exchange: CurlExchange
  let handle: CurlHandle
  /// It has the transfer as long as it runs, and lets go of it then.
  let driver: CurlDriver
  @exclusivity(unchecked) var parser: CurlHeadParser
  /// Why a callback ended the transfer; counts more than the code libcurl then reports.
  var failure: (any Error)?
  /// The lines of the head, owned by this object until ``release()``.
  var headerList: CurlHeaderList?
  @exclusivity(unchecked) var receivedBytes: Int64 = 0
  @exclusivity(unchecked) var body = CurlTransferBody()
  @exclusivity(unchecked) var sending = CurlSending()
  /// Its socket, when it was not watched any more because of a pause.
  var place: CurlSockets.Place?
  @exclusivity(unchecked) var tlsChecks = CurlTLSChecks()
  /// The look at the head's first line, while libcurl shows lines of the head to the callback for the body too.
  @exclusivity(unchecked) var headGuard: CurlHeadGuard?
  /// Whether it is complete with its head, whatever body the server might send.
  var endsWithHead = false
  @exclusivity(unchecked) var route = CurlRoute()
  /// Whether the request has an `Expect` of its user's: libcurl answers a 417 to it with another sending, by itself.
  var expectsContinue = false

  /// The deadline the heap is ordered by, and the place there.
  var timer: Int64 = 0
  var timerIndex: Int?

  @exclusivity(unchecked) private var times: TransferTimes
  @exclusivity(unchecked) var leaving: CurlUploadWatch
  private(set) var pauses = TransferPauses()
  @exclusivity(unchecked) private var news = TransferNews()
  @exclusivity(unchecked) private var hasNews = false

  init(_ exchange: CurlExchange, handle: CurlHandle, driver: CurlDriver) {
    self.exchange = exchange
    self.handle = handle
    self.driver = driver
    let request = exchange.request
    parser = CurlHeadParser(
      request.limits, isHead: request.request.method == .head, informational: request.informational)
    times = TransferTimes(exchange.request, now: driver.now)
    leaving = CurlUploadWatch(exchange.upload, now: driver.now)
  }

  /// Frees what libcurl borrowed, and gives the body's stream up.
  ///
  /// No callback comes after it.
  func release() {
    body.pump?.stop()
    headerList?.deallocate()
    headerList = nil
  }

  // MARK: Progress

  /// When the timer runs out, if nothing happens until then.
  var deadline: Int64 { min(times.deadline, leaving.nextLook(within: times.shortest) ?? .max) }

  var isPaused: Bool { pauses.isAny }

  /// A transfer that waits for its caller does not wait for the network: its timer does not run.
  var restsForCaller: Bool { pauses.isForCaller }

  /// Whether its connection may be one of HTTP/2, as far as is known: one of HTTP/1.1 says so in the first line.
  var isShared: Bool { handle.isSecure && parser.mayBeShared }

  var lastProgress: Int64 { times.lastProgress }

  /// How long after its beginning the head began that counts, of a request with a body.
  var waitForHead: Duration? { leaving.headBegan.map { .nanoseconds($0 - times.begun) } }

  /// Whether it has heard nothing for as long as a limit of time allows.
  var isSilent: Bool { times.isSilent(at: driver.now) }

  /// The near port of its connection, also where libcurl has not asked.
  var nearPort: Int32 {
    sending.localPort > 0
      ? sending.localPort : Int32(truncatingIfNeeded: handle.count(CCURLINFO_LOCAL_PORT))
  }

  func noteProgress() { times.noteProgress(at: driver.now) }

  func noteReceived(_ count: Int) {
    if times.noteReceived(count, at: driver.now) { driver.timers.update(self) }
  }

  /// Tells that its connection answers, where that is more than its own.
  func noteHeard() {
    if parser.isShared, let ends = sending.ends { driver.heard[ends] = driver.now }
  }

  /// Tells that a piece of the request's body was taken or sent.
  func noteGiven() {
    times.noteSent(at: driver.now)
    if leaving.noteRead() { driver.hasGiven(self) }
  }

  /// Which limit of time is broken, if one is.
  func breach() -> TransportError? {
    noteUploadProgress()
    if pauses.isOfSendingAlone, body.wasAsked() { noteProgress() }
    return times.breach(at: driver.now, isWaitingForBody: pauses.isOfSendingAlone) {
      var microseconds: Int64 = 0
      _ = ccurl_get_offset(handle.easy, CCURLINFO_PRETRANSFER_TIME_T, &microseconds)
      return microseconds > 0 ? Int64(microseconds).multipliedReportingOverflow(by: 1000).partialValue : nil
    }
  }

  /// Counts what has left of the body since the last look.
  func noteUploadProgress() {
    guard leaving.look(at: handle, now: driver.now) else { return }
    noteProgress()
    times.noteSent(at: driver.now)
  }

  // MARK: Pausing

  /// Whether the write callback is to stop the receiving.
  func pausesReceiving() -> Bool {
    pauses.receiving = exchange.pauses(with: news.buffered)
    return pauses.receiving
  }

  func pauseSending() {
    pauses.sending = true
    body.watchAskings()
  }

  func resumeReceiving() -> CCURLcode {
    pauses.receiving = false
    return applyPauses()
  }

  func resumeSending() -> CCURLcode {
    pauses.sending = false
    return applyPauses()
  }

  /// Ends the sending in the middle of the body.
  func giveUpBody(isCut: Bool) -> CCURLcode {
    body.giveUp(isCut: isCut)
    return resumeSending()
  }

  /// Rests or goes on, as the dispatch is suspended or not; libcurl stops with the next bytes it has to give or take.
  func followSuspension() -> CCURLcode {
    let wasSuspended = pauses.isSuspended
    pauses.isSuspended = exchange.request.suspension?.isSuspended ?? false
    return wasSuspended && !pauses.isSuspended ? applyPauses() : CCURLE_OK
  }

  /// libcurl may call the callbacks from here, which may pause it again.
  private func applyPauses() -> CCURLcode {
    times.restart(at: driver.now)
    if !restsForCaller { driver.timers.insert(self) }
    return ccurl_easy_pause(handle.easy, pauses.mask)
  }

  /// Fills libcurl's list with the trailers, which are known by the end of the body.
  func giveTrailers(_ list: CurlTrailers.List) -> Int32 {
    guard let refusal = body.giveTrailers(list) else { return CCURL_TRAILERFUNC_OK }
    failure = refusal
    return CCURL_TRAILERFUNC_ABORT
  }

  // MARK: News

  func report(_ change: (inout TransferNews) -> Void) {
    change(&news)
    guard !hasNews else { return }
    hasNews = true
    driver.hasNews(self)
  }

  func deliver() {
    var news = news
    news.closeBlock()
    self.news = TransferNews()
    hasNews = false
    exchange.deliver(news)
  }
}
#endif
