#if os(Linux)
import CCurl

/// An easy handle and the buffer for its error text.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  /// Whether its transfers go over TLS, and may share their connections.
  let isSecure: Bool
  private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  /// Whether it has run a transfer before.
  private(set) var isUsed = false
  /// The transfer it runs; libcurl's callbacks find it here.
  @exclusivity(unchecked) var transfer: CurlTransfer?
  /// Whether it has the options that all transfers share.
  private var isPrepared = false
  /// Whether it has options or a state that the next transfer must not have.
  private var isMarked = !CurlLibrary.tellsSendings
  /// The first option that was refused since the last recycling, or `CURLE_OK`.
  private(set) var refusal = CURLE_OK

  init?(isSecure: Bool = false) {
    guard let easy = curl_easy_init() else {
      errorBuffer.deallocate()
      return nil
    }
    self.easy = easy
    self.isSecure = isSecure
    errorBuffer[0] = 0
    setBufferSize()
  }

  deinit {
    curl_easy_cleanup(easy)
    errorBuffer.deallocate()
  }

  /// What libcurl said about the last failure; often empty.
  var errorText: String { String(cString: errorBuffer) }

  /// Makes it ready for another transfer; `false` when it cannot be.
  ///
  /// Forgets options only when it has to, as most transfers need the same.
  func recycle() -> Bool {
    isUsed = true
    transfer = nil
    errorBuffer[0] = 0
    guard isMarked || refusal != CURLE_OK else { return true }
    curl_easy_reset(easy)
    (isPrepared, isMarked, refusal) = (false, !CurlLibrary.tellsSendings, CURLE_OK)
    // It is refused when libcurl still has a buffer, of a transfer that ended early.
    return setBufferSize() == CURLE_OK
  }

  /// libcurl before 8.1 reads 32 KiB of an HTTP/2 connection at once, and forgets the end of a body behind what a smaller
  /// buffer has no room for.
  @discardableResult
  private func setBufferSize() -> CURLcode {
    isSecure ? ccurl_set_long(easy, CURLOPT_BUFFERSIZE, 32_768) : CURLE_OK
  }

  /// Sets what all transfers share, unless it is set.
  func prepare(for driver: CurlDriver) {
    guard !isPrepared else { return }
    isPrepared = true
    set(CURLOPT_ERRORBUFFER, errorBuffer)
    setRules(of: driver.loop)
    setCallbacks(driver)
  }

  /// Tells that it has options or a state that the next transfer must not have.
  func mark() { isMarked = true }

  func set(_ option: CURLoption, _ value: Bool) { note(ccurl_set_long(easy, option, value ? 1 : 0)) }
  func set(_ option: CURLoption, _ value: Int) { note(ccurl_set_long(easy, option, value)) }
  func set(_ option: CURLoption, offset: Int64) { note(ccurl_set_offset(easy, option, curl_off_t(offset))) }
  func set(_ option: CURLoption, _ value: String) { note(ccurl_set_string(easy, option, value)) }
  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    note(ccurl_set_pointer(easy, option, value))
  }
  func set(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>?) {
    note(ccurl_set_list(easy, option, value))
  }
  func set(_ option: CURLoption, _ value: ccurl_bytes_callback) {
    note(ccurl_set_bytes_callback(easy, option, value))
  }

  func note(_ code: CURLcode) {
    if refusal == CURLE_OK { refusal = code }
  }
}

#endif
