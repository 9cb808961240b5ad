#if os(Linux)
import CCurl

/// The functions libcurl calls, on the loop's thread: with the transfer as their context, or with the driver, where a
/// connection or a timer is of nobody's transfer.
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
    return transfer.driver.sockets.openSocket(to: address, isSecure: transfer.isSecure)
  }

  static let willSend: ccurl_prereq_callback = { context, peer, _, peerPort, localPort in
    transfer(context).willSend(
      over: CurlSockets.Ends(
        peer: peer.map { String(cString: $0) } ?? "", peerPort: peerPort, localPort: localPort))
  }

  /// The context is the transfer, which the driver keeps until libcurl has let go of the handle.
  private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    guard let context else { preconditionFailure("libcurl called without the context it was given") }
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: Of the driver

  static let close: ccurl_close_callback = { context, socket in
    driver(context).sockets.closeSocket(socket)
  }

  static let interest: ccurl_interest_callback = { easy, socket, what, context, _ in
    driver(context).follow(socket, what, of: easy)
    return 0
  }

  static let timer: ccurl_timer_callback = { _, milliseconds, context in
    driver(context).setTimer(milliseconds: milliseconds)
    return 0
  }

  /// The context is the driver, which outlives the multi handle.
  private static func driver(_ context: UnsafeMutableRawPointer?) -> CurlDriver {
    guard let context else { preconditionFailure("libcurl called without the context it was given") }
    return Unmanaged<CurlDriver>.fromOpaque(context).takeUnretainedValue()
  }
}

extension CurlTransfer {
  /// The transfer that a handle belongs to.
  static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
    var context: UnsafeMutableRawPointer?
    guard ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
    return Unmanaged.fromOpaque(context).takeUnretainedValue()
  }
}
#endif
