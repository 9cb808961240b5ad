#if os(Linux)
import CCurl

/// The callbacks for libcurl.
///
/// The context is a ``CurlHandle``, or for `close`, `interest` and `timer` the ``CurlDriver``.
enum CurlCallbacks {
  static let header: ccurl_bytes_callback = { bytes, size, count, context in
    transfer(context).takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
  }

  static let write: ccurl_bytes_callback = { bytes, size, count, context in
    transfer(context).takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
  }

  static let read: ccurl_bytes_callback = { bytes, size, count, context in
    transfer(context).giveBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
  }

  static let seek: ccurl_seek_callback = { context, offset, origin in
    transfer(context).rewind(to: Int64(offset), origin: origin)
  }

  static let open: ccurl_open_callback = { context, _, address in
    guard let address else { return -1 }
    let transfer = transfer(context)
    let isSecure = transfer.handle.isSecure
    guard transfer.route.mayConnect(to: SocketAddress(address), isSecure: isSecure) else { return -1 }
    if transfer.exchange.request.listener != nil {
      transfer.steps.connectStarted(to: SocketAddress(address), transfer)
    }
    transfer.driver.pings.didOpen(at: transfer.driver.now)
    return transfer.driver.sockets.openSocket(to: address, for: CurlOpening(transfer))
  }

  static let lookup: ccurl_lookup_callback = { _, _, context in
    let transfer = transfer(context)
    if transfer.exchange.request.listener != nil { transfer.steps.lookupStarted(transfer) }
    return 0
  }

  static let willSend: ccurl_prereq_callback = { context, peer, _, peerPort, localPort in
    transfer(context).willSend(from: localPort) {
      CurlSockets.Ends(
        peer: peer.map { String(cString: $0) } ?? "", peerPort: peerPort, localPort: localPort)
    }
  }

  static let trailers: ccurl_trailer_callback = { list, context in
    guard let list else { return CCURL_TRAILERFUNC_ABORT }
    return transfer(context).giveTrailers(list)
  }

  static let progress: ccurl_progress_callback = { context, _, _, _, sent in
    let transfer = transfer(context)
    transfer.tlsChecks.noteGoodbye(on: transfer.handle)
    transfer.body.reportSent(Int64(sent), to: transfer.exchange.request.counter)
    return 0
  }

  static let debug: ccurl_debug_callback = { _, kind, text, count, context in
    guard kind == CCURLINFO_TEXT,
      let event = CurlHTTP2Trace(UnsafeRawBufferPointer(start: text, count: count)),
      let context, let transfer = handle(context).transfer
    else { return 0 }
    transfer.note(event)
    return 0
  }

  private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    guard let context, let transfer = handle(context).transfer else {
      preconditionFailure("libcurl called back for a transfer that no longer exists")
    }
    return transfer
  }

  private static func handle(_ context: UnsafeMutableRawPointer) -> CurlHandle {
    Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: Callbacks of the driver

  static let close: ccurl_close_callback = { context, socket in
    driver(context).sockets.closeSocket(socket)
  }

  static let interest: ccurl_interest_callback = { easy, socket, what, context, _ in
    driver(context).follow(socket, for: what, of: easy)
    return 0
  }

  static let timer: ccurl_timer_callback = { _, milliseconds, context in
    driver(context).setTimer(milliseconds: milliseconds)
    return 0
  }

  /// Safe without a retain, because the driver outlives the multi handle.
  private static func driver(_ context: UnsafeMutableRawPointer?) -> CurlDriver {
    guard let context else { preconditionFailure("libcurl called back without its context") }
    return Unmanaged<CurlDriver>.fromOpaque(context).takeUnretainedValue()
  }
}

extension CurlHandle {
  static func transfer(of easy: UnsafeMutableRawPointer) -> CurlTransfer? {
    var context: UnsafeMutableRawPointer?
    guard ccurl_get_pointer(easy, CCURLINFO_PRIVATE, &context) == CCURLE_OK, let context else { return nil }
    return Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().transfer
  }
}
#endif
