#if !canImport(Darwin)
import Foundation

extension Socket {
  #if canImport(Glibc)
  static let kind = Int32(SOCK_STREAM.rawValue)
  #else
  static let kind = SOCK_STREAM
  #endif
  /// A write to a broken connection fails without a `SIGPIPE` signal.
  static let sendFlags = Int32(MSG_NOSIGNAL)
  static let options: [Int32] = []
}
#endif
