#if canImport(Darwin)
import Darwin

extension Socket {
  static let kind = SOCK_STREAM
  static let sendFlags: Int32 = 0
  /// A write to a broken connection fails without a `SIGPIPE` signal.
  static let options = [SO_NOSIGPIPE]
}
#endif
