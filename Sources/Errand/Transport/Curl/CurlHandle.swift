#if os(Linux)
import CCurl

/// An easy handle of libcurl, for a single transfer at a time.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  let isSecure: Bool
  private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CCURL_ERROR_SIZE))
  private(set) var isUsed = false
  @exclusivity(unchecked) var transfer: CurlTransfer?
  /// Set by `prepare`: true if the settings allow HTTP/2 for the scheme of the handle.
  private(set) var mayMultiplex = false
  private var isPrepared = false
  /// True if `curl_easy_reset` may leave old state in the handle.
  ///
  /// The handle is then not reused.
  private var isSpent = false
  /// True if the options must be reset before the next transfer.
  private var isMarked = !CurlLibrary.asksBeforeSending
  private var url: String?
  private var receiveBuffer = ReceiveBuffer.standard
  /// The number of body bytes that the last transfer received; `nil` before the end of the first transfer.
  private var lastBodySize: Int64?
  private var lastPeer: (address: String, port: Int, text: String)?
  /// The first error of an option since the last reset, or `CURLE_OK`.
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

  /// Ends the use of the handle for a transfer.
  ///
  /// Returns false if the handle must not be reused.
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
    let version = driver.loop.connections.httpVersion
    mayMultiplex = version == .http2 || isSecure && version != .http1
    set(CCURLOPT_ERRORBUFFER, to: errorBuffer)
    setRules(of: driver.loop)
    setCallbacks(driver)
  }

  /// Makes ``recycle()`` reset the options.
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

  func setURL(_ url: String) {
    guard url != self.url else { return }
    self.url = url
    set(CCURLOPT_URL, to: url)
  }

  /// The sizes in bytes.
  private enum ReceiveBuffer: Int {
    case small = 4096
    case standard = 16_384
    case large = 65_536
    case bulk = 102_400
  }

  /// Chooses the buffer size, mainly by the size of the last body.
  ///
  /// HTTP/2 never gets a small buffer, because libcurl might then not notice a flood of frames.
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

  /// Shrinks the receive buffer for a maximum receive rate, unless the transfer may use HTTP/2.
  ///
  /// libcurl may fill the receive buffer before limiting the speed.
  func shrinkReceiveBuffer(to size: Int) {
    mark()
    if !mayMultiplex { set(CCURLOPT_BUFFERSIZE, to: min(max(size, 1024), receiveBuffer.rawValue)) }
  }

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

struct CurlHandlePool {
  private static let limit = 1024
  private var plain: [CurlHandle] = []
  private var secure: [CurlHandle] = []

  mutating func take(isSecure: Bool) -> CurlHandle? {
    (isSecure ? secure.popLast() : plain.popLast()) ?? CurlHandle(isSecure: isSecure)
  }

  /// Takes back a handle.
  ///
  /// Until the next transfer, the handle may keep pointers to freed memory, such as a header list.
  mutating func give(_ handle: CurlHandle) {
    guard handle.recycle(), plain.count + secure.count < Self.limit else { return }
    if handle.isSecure { secure.append(handle) } else { plain.append(handle) }
  }

  mutating func removeAll() { (plain, secure) = ([], []) }
}
#endif
