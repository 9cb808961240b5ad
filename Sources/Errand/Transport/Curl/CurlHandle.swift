#if os(Linux)
import CCurl

/// An easy handle of libcurl, for a single transfer at a time.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  let isSecure: Bool
  private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CCURL_ERROR_SIZE))
  private(set) var isUsed = false
  /// The current transfer, which libcurl's callbacks find here.
  @exclusivity(unchecked) var transfer: CurlTransfer?
  /// True if connections may be shared over HTTP/2, as far as libcurl and the server support HTTP/2.
  private(set) var mayMultiplex = false
  private var isPrepared = false
  /// True if the handle may have a state that `curl_easy_reset` does not remove.
  private var isSpent = false
  /// True if the handle may have options or a state that the next transfer must not inherit.
  private var isMarked = !CurlLibrary.asksBeforeSending
  /// The value of `CURLOPT_URL`; `nil`: not set.
  private var url: String?
  /// The value of `CURLOPT_BUFFERSIZE`.
  private var receiveBuffer = ReceiveBuffer.standard
  /// The number of received bytes of the last transfer's body; `nil` before the first transfer.
  private var lastBodySize: Int64?
  /// The address and port of the last peer, and both as text.
  private var lastPeer: (address: String, port: Int, text: String)?
  /// The first error of an option since the last reset of the options, or `CURLE_OK`.
  private(set) var refusal = CCURLE_OK

  init?(isSecure: Bool = false) {
    guard CurlLibrary.system.failure == nil, let easy = ccurl_easy_init() else {
      errorBuffer.deallocate()
      return nil
    }
    self.easy = easy
    self.isSecure = isSecure
    errorBuffer[0] = 0
  }

  deinit {
    ccurl_easy_cleanup(easy)
    errorBuffer.deallocate()
  }

  /// libcurl's text about the last failure; often empty.
  var errorText: String { String(cString: errorBuffer) }

  /// Prepares the handle for another transfer; returns false if the handle must not be reused.
  ///
  /// Resets the options only if necessary, because most transfers have the same options.
  func recycle() -> Bool {
    isUsed = true
    lastBodySize = transfer?.receivedBytes
    transfer = nil
    errorBuffer[0] = 0
    if isSpent { return false }
    guard isMarked || refusal != CCURLE_OK else { return true }
    ccurl_easy_reset(easy)
    url = nil
    receiveBuffer = .standard
    (isPrepared, isMarked, refusal) = (false, !CurlLibrary.asksBeforeSending, CCURLE_OK)
    return true
  }

  func prepare(for driver: CurlDriver) {
    guard !isPrepared else { return }
    isPrepared = true
    mayMultiplex = isSecure || driver.loop.connections.httpVersion == .http2
    set(CCURLOPT_ERRORBUFFER, to: errorBuffer)
    setRules(of: driver.loop)
    setCallbacks(driver)
  }

  /// Excludes the options and the state of the handle from the next transfer.
  func mark() { isMarked = true }

  func spend() { isSpent = true }

  func set(_ option: CCURLoption, to value: Bool) { note(ccurl_set_long(easy, option, value ? 1 : 0)) }
  func set(_ option: CCURLoption, to value: Int) { note(ccurl_set_long(easy, option, value)) }
  func set(_ option: CCURLoption, offset: Int64) { note(ccurl_set_offset(easy, option, Int64(offset))) }
  func set(_ option: CCURLoption, to value: String?) { note(ccurl_set_string(easy, option, value)) }
  func set(_ option: CCURLoption, to value: UnsafeMutableRawPointer) {
    note(ccurl_set_pointer(easy, option, value))
  }
  func set(_ option: CCURLoption, to value: UnsafeMutablePointer<ccurl_slist>?) {
    note(ccurl_set_list(easy, option, value))
  }
  func set(_ option: CCURLoption, to value: ccurl_bytes_callback) {
    note(ccurl_set_bytes_callback(easy, option, value))
  }

  /// Sets the URL, if the handle has a different URL.
  func setURL(_ url: String) {
    guard url != self.url else { return }
    self.url = url
    set(CCURLOPT_URL, to: url)
  }

  /// The size of libcurl's receive buffer, allocated for each transfer.
  private enum ReceiveBuffer: Int {
    case small = 4096
    /// libcurl's default.
    case standard = 16_384
    case large = 65_536
    case bulk = 102_400
  }

  /// Sets the size of the receive buffer for a stream or a file, or as the last body of the handle suggests.
  ///
  /// A handle for HTTPS keeps the standard size: with smaller reads of HTTP/2, libcurl would not notice a flood
  /// of frames.
  func setReceiveBuffer(isBulk: Bool) {
    let size: ReceiveBuffer =
      switch lastBodySize {
      case _ where isBulk: .bulk
      case _ where mayMultiplex: .standard
      case .some(...2048): .small
      case .some(32_768...): .large
      default: .standard
      }
    guard size != receiveBuffer else { return }
    receiveBuffer = size
    set(CCURLOPT_BUFFERSIZE, to: size.rawValue)
  }

  /// Limits the receive buffer for the current transfer, with HTTP/1.1 only.
  ///
  /// libcurl fills the buffer, and then waits until the speed of the transfer is below the limit.
  func shrinkReceiveBuffer(to size: Int) {
    mark()
    if !mayMultiplex { set(CCURLOPT_BUFFERSIZE, to: min(max(size, 1024), receiveBuffer.rawValue)) }
  }

  /// Returns address and port as text; a peer equal to the last peer needs no new text.
  func peerText(address: String, port: Int) -> String {
    if let lastPeer, lastPeer.port == port, lastPeer.address == address { return lastPeer.text }
    let text = address.utf8.contains(0x3A) ? "[\(address)]:\(port)" : "\(address):\(port)"
    lastPeer = (address, port, text)
    return text
  }

  func note(_ code: CCURLcode) {
    if refusal == CCURLE_OK { refusal = code }
  }
}

/// Idle easy handles for reuse, at most 1,024.
struct CurlHandlePool {
  private static let limit = 1024
  private var plain: [CurlHandle] = []
  private var secure: [CurlHandle] = []

  mutating func take(isSecure: Bool) -> CurlHandle? {
    (isSecure ? secure.popLast() : plain.popLast()) ?? CurlHandle(isSecure: isSecure)
  }

  /// Takes a handle back, and keeps the handle for reuse if possible.
  ///
  /// Until the next transfer, the handle may keep options such as a pointer to a freed header list.
  mutating func give(_ handle: CurlHandle) {
    guard handle.recycle(), plain.count + secure.count < Self.limit else { return }
    if handle.isSecure { secure.append(handle) } else { plain.append(handle) }
  }

  mutating func removeAll() { (plain, secure) = ([], []) }
}
#endif
