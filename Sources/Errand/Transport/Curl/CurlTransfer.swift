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
  var body = CurlTransferBody()
  /// Whether libcurl has asked before it began to send.
  var wasAsked = false
  /// How often libcurl was about to send the request over a connection that was good as far as is known.
  var sendings = 0
  /// Whether libcurl shows the lines of the head to the callback for the body too, and before it stores them.
  var isGuardingHead = false
  /// Whether it is complete with its head, whatever body the server might send.
  var endsWithHead = false
  /// Whether the request has an `Expect` of its user's: libcurl answers a 417 to it with another sending, by itself.
  var expectsContinue = false

  /// The deadline the heap is ordered by, and the place there.
  var timer: Int64 = 0
  var timerIndex: Int?

  @exclusivity(unchecked) private var times: TransferTimes
  private var seenUploadedBytes: Int64 = 0
  private(set) var pauses = TransferPauses()
  /// Whether the body is given up, as the server has answered, or is gone.
  private(set) var isBodyGivenUp = false
  /// Whether the connection was closed then.
  private(set) var isCut = false
  @exclusivity(unchecked) private var news = CurlNews()
  @exclusivity(unchecked) private var hasNews = false

  init(_ exchange: CurlExchange, handle: CurlHandle, driver: CurlDriver) {
    self.exchange = exchange
    self.handle = handle
    self.driver = driver
    parser = CurlHeadParser(exchange.request.limits)
    times = TransferTimes(exchange.request, now: driver.now)
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
  var deadline: Int64 { times.deadline }

  /// A paused transfer waits for the application, not for the network: its timer does not run.
  var isPaused: Bool { pauses.isAny }

  func noteProgress() { times.noteProgress(at: driver.now) }

  func noteReceived(_ count: Int) {
    if times.noteReceived(count, at: driver.now) { driver.timers.update(self) }
  }

  /// Tells that a piece of the request's body was taken or sent.
  func noteGiven() { times.noteSent(at: driver.now) }

  /// Which limit of time is broken, if one is.
  func breach() -> TransportError? {
    noteUploadProgress()
    return times.breach(at: driver.now) {
      var microseconds: Int64 = 0
      _ = ccurl_get_offset(handle.easy, CCURLINFO_PRETRANSFER_TIME_T, &microseconds)
      return microseconds > 0 ? Int64(microseconds).multipliedReportingOverflow(by: 1000).partialValue : nil
    }
  }

  /// Counts the bytes that left since the last look: libcurl asks for a large buffer at once and sends it in pieces.
  func noteUploadProgress() {
    guard !exchange.upload.isEmpty else { return }
    var uploaded: Int64 = 0
    _ = ccurl_get_offset(handle.easy, CCURLINFO_SIZE_UPLOAD_T, &uploaded)
    guard Int64(uploaded) != seenUploadedBytes else { return }
    seenUploadedBytes = Int64(uploaded)
    noteProgress()
    noteGiven()
  }

  // MARK: Pausing

  /// Whether the write callback is to stop the receiving.
  func pausesReceiving() -> Bool {
    pauses.receiving = exchange.pauses(with: news.buffered)
    return pauses.receiving
  }

  func pauseSending() { pauses.sending = true }

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
    (isBodyGivenUp, self.isCut) = (true, isCut)
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
    if !isPaused { driver.timers.insert(self) }
    return ccurl_easy_pause(handle.easy, pauses.mask)
  }

  // MARK: News

  func report(_ change: (inout CurlNews) -> Void) {
    change(&news)
    guard !hasNews else { return }
    hasNews = true
    driver.hasNews(self)
  }

  func deliver() {
    let news = news
    self.news = CurlNews()
    hasNews = false
    exchange.deliver(news)
  }
}
#endif
