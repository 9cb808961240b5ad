#if os(Linux)
import CCurl

extension CurlHandle {
  func setRules(of loop: CurlLoop) {
    note(ccurl_allow_only_http(easy))
    // A transfer that ends during its name lookup may otherwise block the loop.
    note(ccurl_leave_lookups(easy))
    set(CCURLOPT_NOSIGNAL, to: true)
    set(CCURLOPT_PATH_AS_IS, to: true)
    set(CCURLOPT_HTTP09_ALLOWED, to: false)
    set(CCURLOPT_FOLLOWLOCATION, to: false)
    set(CCURLOPT_DISALLOW_USERNAME_IN_URL, to: true)
    // Without `willSend`, Errand could not tell where the header lines of the proxy's response to `CONNECT`
    // end, so libcurl must not deliver these lines.
    set(
      CCURLOPT_SUPPRESS_CONNECT_HEADERS,
      to: loop.connections.proxies.isEmpty || !CurlLibrary.asksBeforeSending)
    if isSecure { setVersion() }
    setTLS(of: loop.connections)
    setIdleLifetime(loop.idleLifetime)
    // Errand reads the proxy variables of the environment itself.
    set(CCURLOPT_PROXY, to: "")
    set(CCURLOPT_NOPROXY, to: "")
    // libcurl's connect timeout, in seconds, cannot be disabled.
    set(CCURLOPT_CONNECTTIMEOUT, to: 2_000_000)
  }

  private func setVersion() {
    if CurlLibrary.speaksHTTP2 {
      // Enables the debug callback; see ``CurlHTTP2Trace``.
      set(CCURLOPT_VERBOSE, to: true)
    } else {
      set(CCURLOPT_HTTP_VERSION, to: Int(CCURL_HTTP_VERSION_1_1))
    }
  }

  /// A lifetime of zero or less forbids reuse of connections.
  private func setIdleLifetime(_ lifetime: Duration) {
    guard lifetime > .zero else { return set(CCURLOPT_FORBID_REUSE, to: true) }
    set(CCURLOPT_MAXAGE_CONN, to: CurlSweep.seconds(lifetime))
  }

  func setMethod(_ method: HTTPMethod, hasBody: Bool) {
    guard method != .get || hasBody else { return }
    mark()
    set(CCURLOPT_CUSTOMREQUEST, to: method.token)
    if !hasBody { set(method == .head ? CCURLOPT_NOBODY : CCURLOPT_HTTPGET, to: true) }
  }

  func setCallbacks(_ driver: CurlDriver) {
    let own = Unmanaged.passUnretained(self).toOpaque()
    set(CCURLOPT_PRIVATE, to: own)
    set(CCURLOPT_HEADERDATA, to: own)
    set(CCURLOPT_HEADERFUNCTION, to: CurlCallbacks.header)
    set(CCURLOPT_WRITEDATA, to: own)
    set(CCURLOPT_WRITEFUNCTION, to: CurlCallbacks.write)
    set(CCURLOPT_READDATA, to: own)
    set(CCURLOPT_READFUNCTION, to: CurlCallbacks.read)
    note(ccurl_set_seek_callback(easy, CurlCallbacks.seek, own))
    note(ccurl_set_open_callback(easy, CurlCallbacks.open, own))
    note(ccurl_set_progress_callback(easy, CurlCallbacks.progress, own))
    note(ccurl_set_debug_callback(easy, CurlCallbacks.debug, own))
    note(ccurl_set_close_callback(easy, CurlCallbacks.close, Unmanaged.passUnretained(driver).toOpaque()))
    // libcurl calls `willSend` before each transmission, also before a repetition.
    if CurlLibrary.asksBeforeSending { note(ccurl_set_prereq_callback(easy, CurlCallbacks.willSend, own)) }
  }
}
#endif
