#if os(Linux)
import CCurl

extension CurlHandle {
  func setRules(of loop: CurlLoop) {
    note(ccurl_allow_only_http(easy))
    // If a transfer ends during its name lookup, libcurl may otherwise block the loop.
    note(ccurl_leave_lookups(easy))
    set(CCURLOPT_NOSIGNAL, to: true)
    set(CCURLOPT_PATH_AS_IS, to: true)
    set(CCURLOPT_HTTP09_ALLOWED, to: false)
    set(CCURLOPT_FOLLOWLOCATION, to: false)
    set(CCURLOPT_DISALLOW_USERNAME_IN_URL, to: true)
    // The callback `willSend` shows that the lines of a proxy's response to `CONNECT` have ended. A libcurl
    // without the callback drops the lines.
    set(
      CCURLOPT_SUPPRESS_CONNECT_HEADERS,
      to: loop.connections.proxies.isEmpty || !CurlLibrary.asksBeforeSending)
    setVersion(loop.connections.httpVersion)
    setTLS(of: loop.connections)
    setPool(loop.connections.pool, idleLifetime: loop.idleLifetime)
    if let nameServer = loop.connections.nameServer { set(CCURLOPT_DOH_URL, to: nameServer) }
    if let localAddress = loop.connections.localAddress { set(CCURLOPT_INTERFACE, to: localAddress) }
    // Otherwise, libcurl would read the proxy variables of the environment.
    set(CCURLOPT_PROXY, to: "")
    set(CCURLOPT_NOPROXY, to: "")
    // In seconds. libcurl's connect timeout cannot be disabled.
    set(CCURLOPT_CONNECTTIMEOUT, to: 2_000_000)
  }

  private func setVersion(_ version: ConnectionSettings.HTTPVersion) {
    guard isSecure || mayMultiplex else { return }
    guard CurlLibrary.speaksHTTP2, version != .http1 else {
      return set(CCURLOPT_HTTP_VERSION, to: Int(CCURL_HTTP_VERSION_1_1))
    }
    // Enables the debug callback, for the events of HTTP/2.
    set(CCURLOPT_VERBOSE, to: true)
    guard !isSecure else { return }
    set(CCURLOPT_HTTP_VERSION, to: Int(CCURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
    set(CCURLOPT_PIPEWAIT, to: true)
  }

  /// Sets the limits of kept connections.
  ///
  /// With an idle lifetime, `maximumAge` or `maximumIdle` of zero or less, no connection is used again.
  private func setPool(_ pool: ConnectionSettings.Pool, idleLifetime: Duration) {
    if let silence = pool.keepAlive {
      let seconds = max(CurlSweep.seconds(silence), 1)
      set(CCURLOPT_TCP_KEEPALIVE, to: true)
      set(CCURLOPT_TCP_KEEPIDLE, to: seconds)
      set(CCURLOPT_TCP_KEEPINTVL, to: seconds)
    }
    let isKept = idleLifetime > .zero && pool.maximumIdle ?? 1 > 0 && pool.maximumAge ?? .seconds(1) > .zero
    guard isKept else { return set(CCURLOPT_FORBID_REUSE, to: true) }
    set(CCURLOPT_MAXAGE_CONN, to: CurlSweep.seconds(idleLifetime))
    if let age = pool.maximumAge { set(CCURLOPT_MAXLIFETIME_CONN, to: CurlSweep.seconds(age)) }
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
    note(ccurl_set_lookup_callback(easy, CurlCallbacks.lookup, own))
    note(ccurl_set_progress_callback(easy, CurlCallbacks.progress, own))
    note(ccurl_set_debug_callback(easy, CurlCallbacks.debug, own))
    note(ccurl_set_close_callback(easy, CurlCallbacks.close, Unmanaged.passUnretained(driver).toOpaque()))
    // libcurl calls `willSend` before each transmission, including repetitions.
    if CurlLibrary.asksBeforeSending { note(ccurl_set_prereq_callback(easy, CurlCallbacks.willSend, own)) }
  }
}
#endif
