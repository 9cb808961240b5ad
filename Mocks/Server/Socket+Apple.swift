#if canImport(Darwin)
import Darwin

extension Socket {
  static let kind = SOCK_STREAM
  static let sendFlags: Int32 = 0
  /// The options of every socket.
  ///
  /// `SO_NOSIGPIPE` turns a write to a broken connection into an error without a `SIGPIPE` signal.
  static let options = [SO_NOSIGPIPE]
}
#endif
