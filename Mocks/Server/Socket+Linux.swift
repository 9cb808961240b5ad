#if !canImport(Darwin)
import Foundation

extension Socket {
  /// Of a connection.
  #if canImport(Glibc)
  static let kind = Int32(SOCK_STREAM.rawValue)
  #else
  static let kind = SOCK_STREAM
  #endif
  /// With which bytes are sent, so that writing to a connection that is gone is an error and no signal.
  static let sendFlags = Int32(MSG_NOSIGNAL)
  /// That a socket has.
  static let options: [Int32] = []
}
#endif
