#if os(Linux)
import CCurl

/// An easy handle and the buffer for its error text.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  /// The first option that was refused since the last reset, or `CURLE_OK`.
  private(set) var refusal = CURLE_OK

  init?() {
    guard let easy = curl_easy_init() else {
      errorBuffer.deallocate()
      return nil
    }
    self.easy = easy
    clear()
  }

  deinit {
    curl_easy_cleanup(easy)
    errorBuffer.deallocate()
  }

  /// What libcurl said about the last failure; often empty.
  var errorText: String { String(cString: errorBuffer) }

  /// Forgets all options; open connections stay.
  func reset() {
    curl_easy_reset(easy)
    clear()
  }

  private func clear() {
    refusal = CURLE_OK
    errorBuffer[0] = 0
    note(ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer))
  }

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
