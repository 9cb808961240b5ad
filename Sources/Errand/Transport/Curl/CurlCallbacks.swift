#if os(Linux)
import CCurl

/// The functions libcurl calls, on the loop's thread, with the transfer as their context.
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

  static let didOpen: ccurl_socket_callback = { context, socket, _ in
    transfer(context).driver.sockets.add(socket)
    return CURL_SOCKOPT_OK
  }

  static let willSend: ccurl_prereq_callback = { context, peer, _, peerPort, localPort in
    let peer = peer.map { String(cString: $0) } ?? ""
    return transfer(context).willSend(
      over: CurlSockets.Ends(peer: peer, peerPort: peerPort, localPort: localPort))
  }

  /// The context is the transfer, which the driver keeps until libcurl has let go of the handle.
  private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    guard let context else { preconditionFailure("libcurl called without the context it was given") }
    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
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
