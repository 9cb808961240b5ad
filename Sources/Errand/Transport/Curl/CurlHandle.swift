#if os(Linux)
import CCurl

/// An easy handle and the buffer for its error text.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  /// Whether its transfers go over TLS, and may share their connections.
  let isSecure: Bool
  private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CCURL_ERROR_SIZE))
  /// Whether it has run a transfer before.
  private(set) var isUsed = false
  /// The transfer it runs; libcurl's callbacks find it here.
  @exclusivity(unchecked) var transfer: CurlTransfer?
  /// Whether it has the options that all transfers share.
  private var isPrepared = false
  /// Whether it has a state that no option takes away.
  private var isSpent = false
  /// Whether it has options or a state that the next transfer must not have.
  private var isMarked = !CurlLibrary.tellsSendings
  /// The first option that was refused since the last recycling, or `CURLE_OK`.
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

  /// What libcurl said about the last failure; often empty.
  var errorText: String { String(cString: errorBuffer) }

  /// Makes it ready for another transfer; `false` when it cannot be.
  ///
  /// Forgets options only when it has to, as most transfers need the same.
  func recycle() -> Bool {
    isUsed = true
    transfer = nil
    errorBuffer[0] = 0
    if isSpent { return false }
    guard isMarked || refusal != CCURLE_OK else { return true }
    ccurl_easy_reset(easy)
    (isPrepared, isMarked, refusal) = (false, !CurlLibrary.tellsSendings, CCURLE_OK)
    return true
  }

  /// Sets what all transfers share, unless it is set.
  func prepare(for driver: CurlDriver) {
    guard !isPrepared else { return }
    isPrepared = true
    set(CCURLOPT_ERRORBUFFER, to: errorBuffer)
    setRules(of: driver.loop)
    setCallbacks(driver)
  }

  /// Tells that it has options or a state that the next transfer must not have.
  func mark() { isMarked = true }

  /// Tells that it must run no other transfer.
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

  func note(_ code: CCURLcode) {
    if refusal == CCURLE_OK { refusal = code }
  }
}

/// Easy handles at rest: making one costs more than using one again.
struct CurlHandlePool {
  private static let limit = 1024
  private var plain: [CurlHandle] = []
  private var secure: [CurlHandle] = []

  /// Gives a handle for http or https; `nil` when libcurl cannot make one.
  mutating func take(isSecure: Bool) -> CurlHandle? {
    (isSecure ? secure.popLast() : plain.popLast()) ?? CurlHandle(isSecure: isSecure)
  }

  /// Takes a handle back and clears it, so that it does not hold the last user's pointers.
  mutating func give(_ handle: CurlHandle) {
    guard handle.recycle(), plain.count + secure.count < Self.limit else { return }
    if handle.isSecure { secure.append(handle) } else { plain.append(handle) }
  }

  mutating func removeAll() { (plain, secure) = ([], []) }
}
#endif
