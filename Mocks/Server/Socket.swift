import Foundation

/// Non-blocking sockets of the system, the differences between systems evened out.
enum Socket {
  /// What reading or writing came to.
  enum Progress {
    case bytes(Int)
    case blocked
    /// The other side closed, or the connection broke.
    case ended
  }

  static func dispose(_ socket: Int32) { _ = close(socket) }

  /// Reads what has come, but not more than `limit` bytes.
  static func read(_ socket: Int32, into buffer: inout [UInt8], limit: Int = .max) -> Progress {
    progress { recv(socket, &buffer, min(buffer.count, limit), 0) }
  }

  static func write(to socket: Int32, bytes: UnsafeRawBufferPointer) -> Progress {
    progress { send(socket, bytes.baseAddress, bytes.count, sendFlags) }
  }

  /// Tells the other side that nothing more comes.
  static func endOutput(_ socket: Int32) { _ = shutdown(socket, Int32(SHUT_WR)) }

  /// Makes a socket non-blocking, without signals, closed in child processes, and without send delays.
  static func prepare(_ socket: Int32) {
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    setOption(of: socket, level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
    for option in options { setOption(of: socket, level: SOL_SOCKET, name: option) }
  }

  /// Makes closing a reset: the other side gets an error instead of an end.
  static func resetWhenClosed(_ socket: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// Makes the system keep few bytes that nobody has read yet; of a listening socket, for its connections.
  static func keepLittleInput(_ socket: Int32) {
    setOption(of: socket, level: SOL_SOCKET, name: SO_RCVBUF, to: 4096)
  }

  /// Lets a socket listen on a port whose earlier connections are still ending; another socket that listens there keeps it.
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
