#if canImport(Darwin)
import Darwin

extension Socket {
  /// Of a connection.
  static let kind = SOCK_STREAM
  /// With which bytes are sent.
  static let sendFlags: Int32 = 0
  /// That a socket has, so that writing to a connection that is gone is an error and no signal.
  static let options = [SO_NOSIGPIPE]
}
#endif
