import Foundation

enum Socket {
  enum Progress {
    case bytes(Int)
    case blocked
    /// The peer closed at least the sending half, or an error occurred.
    case ended
  }

  static func dispose(_ socket: Int32) { _ = close(socket) }

  static func read(_ socket: Int32, into buffer: inout [UInt8], limit: Int = .max) -> Progress {
    progress { recv(socket, &buffer, min(buffer.count, limit), 0) }
  }

  static func write(to socket: Int32, bytes: UnsafeRawBufferPointer) -> Progress {
    progress { send(socket, bytes.baseAddress, bytes.count, sendFlags) }
  }

  static func endOutput(_ socket: Int32) { _ = shutdown(socket, Int32(SHUT_WR)) }

  static func prepare(_ socket: Int32) {
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    setOption(of: socket, level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
    for option in options { setOption(of: socket, level: SOL_SOCKET, name: option) }
  }

  static func resetWhenClosed(_ socket: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// Requests a receive buffer of 4096 bytes; sockets accepted by a listening socket inherit the size.
  static func shrinkReceiveBuffer(_ socket: Int32) {
    setOption(of: socket, level: SOL_SOCKET, name: SO_RCVBUF, to: 4096)
  }

  static func reuseAddress(_ socket: Int32) { setOption(of: socket, level: SOL_SOCKET, name: SO_REUSEADDR) }

  private static func setOption(of socket: Int32, level: Int32, name: Int32, to value: Int32 = 1) {
    var value = value
    _ = setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func progress(_ call: () -> Int) -> Progress {
    let count = call()
    if count > 0 { return .bytes(count) }
    guard count < 0 else { return .ended }
    return [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .blocked : .ended
  }
}
